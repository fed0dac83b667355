import { describe, expect, test } from 'bun:test';
import { parseAudioTag, parseVideoTag } from './tag.ts';

const fourCc = (text: string): number[] => [...Buffer.from(text)];
const video = (...bytes: number[]) => parseVideoTag(Uint8Array.from(bytes));
const audio = (...bytes: number[]) => parseAudioTag(Uint8Array.from(bytes));

describe('a legacy video tag', () => {
  test('with AVC distinguishes header, key frame and inter frame', () => {
    expect(video(0x17, 0, 0, 0, 0, 1)).toMatchObject({ codec: 'h264', kind: 'header', isKeyframe: false });
    expect(video(0x17, 1, 0, 0, 0x42, 9)).toEqual({
      codec: 'h264',
      kind: 'frame',
      isKeyframe: true,
      compositionMs: 0x42,
      track: undefined,
      dataOffset: 5,
    });
    expect(video(0x27, 1, 0, 0, 0)).toMatchObject({ kind: 'frame', isKeyframe: false });
    expect(video(0x17, 2, 0, 0, 0)).toMatchObject({ kind: 'other', isKeyframe: false });
  });

  test('has a signed composition time', () => {
    expect(video(0x27, 1, 0xff, 0xff, 0xf6)?.compositionMs).toBe(-10);
  });

  test('of a codec without decoder configuration always contains a frame', () => {
    expect(video(0x12, 0)).toMatchObject({ codec: 'h263', kind: 'frame', isKeyframe: true, dataOffset: 1 });
    expect(video(0x24, 0)).toMatchObject({ codec: 'vp6', isKeyframe: false });
  });

  test('with the unofficial HEVC codec id is HEVC', () => {
    expect(video(0x1c, 0, 0, 0, 0)).toMatchObject({ codec: 'hevc', kind: 'header' });
  });

  test('that is a command or truncated contains no frame', () => {
    expect(video(0x57, 0)).toMatchObject({ kind: 'other' });
    expect(video(0x17, 1, 0)).toBeUndefined();
    expect(video()).toBeUndefined();
  });
});

describe('an enhanced video tag', () => {
  test('identifies its codec by four characters', () => {
    expect(video(0x90, ...fourCc('hvc1'))).toMatchObject({ codec: 'hevc', kind: 'header', dataOffset: 5 });
    expect(video(0x90, ...fourCc('av01'))).toMatchObject({ codec: 'av1', kind: 'header' });
    expect(video(0x91, ...fourCc('vp09'), 1)).toMatchObject({ codec: 'vp9', kind: 'frame', isKeyframe: true });
    expect(video(0x90, ...fourCc('abcd'))).toMatchObject({ codec: 'unknown', kind: 'header' });
  });

  test('carries composition time for codecs that reorder', () => {
    expect(video(0xa1, ...fourCc('hvc1'), 0, 0, 33, 1)).toMatchObject({
      kind: 'frame',
      isKeyframe: false,
      compositionMs: 33,
      dataOffset: 8,
    });
    expect(video(0xa1, ...fourCc('av01'), 0, 0, 33)).toMatchObject({ compositionMs: 0, dataOffset: 5 });
    expect(video(0xa3, ...fourCc('hvc1'), 0, 0, 33)).toMatchObject({ compositionMs: 0, dataOffset: 5 });
  });

  test('of other kinds contains no frame', () => {
    expect(video(0x94, ...fourCc('hvc1'))).toMatchObject({ kind: 'other' });
    expect(video(0x92, ...fourCc('hvc1'))).toMatchObject({ kind: 'other', isKeyframe: false });
    expect(video(0xd1, ...fourCc('hvc1'), 0)).toMatchObject({ kind: 'other' });
  });

  test('is read through ModEx blocks, short and long', () => {
    const short = [0x97, 2, 9, 9, 9, 0x01, ...fourCc('hvc1'), 0, 0, 5];
    expect(video(...short)).toMatchObject({ codec: 'hevc', kind: 'frame', isKeyframe: true, compositionMs: 5 });
    const long = [0x97, 0xff, 0x01, 0x03, ...new Array(260).fill(7), 0x03, ...fourCc('av01')];
    expect(video(...long)).toMatchObject({ codec: 'av1', kind: 'frame' });
    const twice = [0x97, 0, 9, 0x07, 0, 9, 0x00, ...fourCc('hvc1')];
    expect(video(...twice)).toMatchObject({ codec: 'hevc', kind: 'header' });
    expect(video(0x97, 200, 1, 2)).toBeUndefined();
  });

  test('with one track gives its number', () => {
    expect(video(0x96, 0x00, ...fourCc('hvc1'), 2, 1)).toMatchObject({ kind: 'header', track: 2, dataOffset: 7 });
    expect(video(0x96, 0x01, ...fourCc('avc1'), 0, 0, 0, 7)).toMatchObject({
      codec: 'h264',
      kind: 'frame',
      isKeyframe: true,
      track: 0,
      compositionMs: 7,
    });
  });

  test('with several tracks is passed as one', () => {
    expect(video(0x96, 0x11, ...fourCc('hvc1'), 0)).toMatchObject({ codec: 'hevc', kind: 'frame', track: -1 });
    expect(video(0x96, 0x21, ...fourCc('hvc1'), 0)).toMatchObject({ codec: 'unknown', kind: 'frame', track: -1 });
  });
});

describe('an audio tag', () => {
  test('with AAC distinguishes header and frame', () => {
    expect(audio(0xaf, 0, 0x11, 0x90)).toEqual({ codec: 'aac', kind: 'header', track: undefined, dataOffset: 2 });
    expect(audio(0xaf, 1, 0)).toMatchObject({ codec: 'aac', kind: 'frame' });
    expect(audio(0xaf)).toBeUndefined();
    expect(audio()).toBeUndefined();
  });

  test('of other legacy codecs always contains a frame', () => {
    expect(audio(0x2f, 0xff)).toEqual({ codec: 'mp3', kind: 'frame', track: undefined, dataOffset: 1 });
    expect(audio(0x7f)).toMatchObject({ codec: 'g711a' });
    expect(audio(0xdf)).toMatchObject({ codec: 'unknown' });
  });

  test('with an extended header identifies its codec by four characters', () => {
    expect(audio(0x90, ...fourCc('Opus'))).toEqual({ codec: 'opus', kind: 'header', track: undefined, dataOffset: 5 });
    expect(audio(0x91, ...fourCc('ac-3'), 1)).toMatchObject({ codec: 'ac3', kind: 'frame' });
    expect(audio(0x94, ...fourCc('Opus'))).toMatchObject({ kind: 'other' });
    expect(audio(0x95, 0x00, ...fourCc('mp4a'), 3)).toMatchObject({ codec: 'aac', kind: 'header', track: 3 });
    expect(audio(0x91, 0x4f)).toBeUndefined();
  });
});

test('random bytes never make the parsers throw', () => {
  let seed = 7;
  const random = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return seed >> 16;
  };
  for (let i = 0; i < 20_000; i++) {
    const body = Uint8Array.from({ length: random() % 24 }, () => random() & 0xff);
    const tag = parseVideoTag(body);
    if (tag) expect(tag.dataOffset).toBeLessThanOrEqual(body.length);
    const sound = parseAudioTag(body);
    if (sound) expect(sound.dataOffset).toBeLessThanOrEqual(body.length);
  }
});
