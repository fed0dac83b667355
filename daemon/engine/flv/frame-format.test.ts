import { expect, test } from 'bun:test';
import { messageType } from './flv-bus.ts';
import { frameFormat } from './frame-format.ts';
import { parseAudioTag, parseVideoTag } from './tag.ts';

const { audio, video, data } = messageType;

test('every body with a format is a coded frame of one track, and bodies with one format have one codec', () => {
  const codecs = new Map<string, string>();
  let formats = 0;
  for (let first = 0; first < 256; first++) {
    for (let second = 0; second < 8; second++) {
      for (const rest of ['', 'c1', 'vc1......', 'vc1\x00...........', 'p4a....']) {
        const body = Uint8Array.of(first, second === 7 ? 0x61 : second, ...Buffer.from(rest, 'latin1'));
        for (const type of [audio, video] as const) {
          const format = frameFormat(type, body);
          if (format === undefined) continue;
          formats++;
          const tag = type === video ? parseVideoTag(body) : parseAudioTag(body);
          expect([first, second, rest, tag?.kind, tag?.track]).toEqual([first, second, rest, 'frame', undefined]);
          const key = `${type} ${format}`;
          expect(codecs.get(key) ?? tag?.codec).toBe(tag?.codec ?? '');
          codecs.set(key, tag?.codec ?? '');
        }
      }
    }
  }
  expect(formats).toBeGreaterThan(1000);
});

test('formats are the numbers of legacy tags or FourCCs', () => {
  const text = (bytes: string) => Buffer.from(bytes, 'latin1');
  expect(frameFormat(video, text('\x17\x01\x00\x00\x00\x09'))).toBe(7);
  expect(frameFormat(video, text('\x91hvc1\x00\x00\x00\x09'))).toBe(0x68766331);
  expect(frameFormat(audio, text('\xaf\x01\x09'))).toBe(10);
  expect(frameFormat(audio, text('\x91Opus\x09'))).toBe(0x4f707573);
  expect(frameFormat(audio, text('\x2f\x09'))).toBe(2);
  expect(frameFormat(video, text('\x17\x00\x00\x00\x00\x01'))).toBeUndefined();
  expect(frameFormat(audio, text('\xaf\x00\x11'))).toBeUndefined();
  expect(frameFormat(data, text('x'))).toBeUndefined();
});
