import { expect, test } from 'bun:test';
import { messageType } from '../flv/flv-bus.ts';
import type { ElementaryStream } from '../mpegts/tables.ts';
import { FlvCodecSupport, tsCodecSupport } from './codec-support.ts';
import { audioHeader, videoHeader } from './flv-tags.ts';

const stream = (kind: ElementaryStream['kind'], codec: string, pid = 256): ElementaryStream => ({ kind, codec, pid });

test('H.264, HEVC and AAC of a transport stream are supported', () => {
  const both = tsCodecSupport([stream('other', '0x6'), stream('video', 'hevc', 300), stream('audio', 'aac', 301)]);
  const own = { video: { pid: 300, codec: 'hevc' as const }, audio: { pid: 301, codec: 'aac' as const } };
  expect(both).toEqual({ support: 'possible', own, leavesOutSound: false });
  expect(tsCodecSupport([stream('audio', 'aac')]).support).toBe('possible');
  expect(tsCodecSupport([stream('video', 'h264')]).support).toBe('possible');
});

test('the first of several audio tracks that FLV supports is used', () => {
  const streams = [stream('video', 'h264', 300), stream('audio', 'ac3', 301), stream('audio', 'aac', 302)];
  expect(tsCodecSupport(streams)).toMatchObject({ own: { audio: { pid: 302, codec: 'aac' } }, leavesOutSound: false });
});

test.each(['ac3', 'opus', 'aac_latm'])('video with %s is passed without audio', (codec) => {
  const { support, own, leavesOutSound } = tsCodecSupport([stream('video', 'h264', 300), stream('audio', codec, 301)]);
  expect([support, leavesOutSound]).toEqual(['possible', true]);
  expect(own.audio).toBeUndefined();
});

test('MPEG audio may be layer 3, which only its frames show', () => {
  const { own, leavesOutSound } = tsCodecSupport([stream('video', 'hevc', 300), stream('audio', 'mp2', 301)]);
  expect([own.audio, leavesOutSound]).toEqual([{ pid: 301, codec: 'mpeg' }, false]);
});

test('a transport stream whose video FLV does not support cannot be converted', () => {
  for (const codec of ['mpeg2video', 'mpeg4', 'vvc', 'av1']) {
    expect(tsCodecSupport([stream('video', codec), stream('audio', 'aac')]).support).toBe('impossible');
  }
  for (const codec of ['ac3', 'opus', 'aac_latm']) {
    expect(tsCodecSupport([stream('audio', codec)]).support).toBe('impossible');
  }
  expect(tsCodecSupport([stream('other', '0x6')]).support).toBe('impossible');
});

test('the codec support of FLV follows its headers and frames', () => {
  const support = new FlvCodecSupport();
  const video = (payload: Uint8Array) => support.see({ type: messageType.video, timestamp: 0, payload });
  const audio = (payload: Uint8Array) => support.see({ type: messageType.audio, timestamp: 0, payload });
  video(videoHeader('h264', new Uint8Array(10)));
  audio(audioHeader(Uint8Array.of(0x11, 0x90)));
  expect(support.current).toBe('possible');
  audio(Uint8Array.of(0x2f, 1, 2, 3));
  expect([support.current, support.leavesOutSound]).toEqual(['possible', false]);
  // Channels without a number that nothing describes, Opus, VP6.
  audio(audioHeader(Uint8Array.of(0x11, 0x80)));
  expect([support.current, support.leavesOutSound]).toEqual(['possible', true]);
  audio(audioHeader(Uint8Array.of(0x11, 0x90)));
  audio(Uint8Array.of(0x91, ...Buffer.from('Opus'), 1));
  expect([support.current, support.leavesOutSound]).toEqual(['possible', true]);
  audio(audioHeader(Uint8Array.of(0x11, 0x90)));
  video(Uint8Array.of(0x14, 1, 2));
  expect(support.current).toBe('impossible');
});
