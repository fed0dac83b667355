import { expect, test } from 'bun:test';
import { messageType } from '../flv/flv-bus.ts';
import type { ElementaryStream } from '../mpegts/tables.ts';
import { audioHeader, videoHeader } from './flv-tags.ts';
import { FlvVerdict, verdictOnTs } from './verdict.ts';

const stream = (kind: ElementaryStream['kind'], codec: string, pid = 256): ElementaryStream => ({ kind, codec, pid });

test('of a transport stream H.264, HEVC and AAC are ours', () => {
  const both = verdictOnTs([stream('other', '0x6'), stream('video', 'hevc', 300), stream('audio', 'aac', 301)]);
  const own = { video: { pid: 300, codec: 'hevc' as const }, audio: { pid: 301 } };
  expect(both).toEqual({ verdict: 'own', own, leavesOutSound: false });
  expect(verdictOnTs([stream('audio', 'aac')]).verdict).toBe('own');
  expect(verdictOnTs([stream('video', 'h264')]).verdict).toBe('own');
});

test('of several sounds the first that FLV takes is taken', () => {
  const streams = [stream('video', 'h264', 300), stream('audio', 'ac3', 301), stream('audio', 'aac', 302)];
  expect(verdictOnTs(streams)).toMatchObject({ own: { audio: { pid: 302 } }, leavesOutSound: false });
});

test.each(['mp2', 'ac3', 'opus', 'aac_latm'])('a picture with %s goes alone', (codec) => {
  const { verdict, own, leavesOutSound } = verdictOnTs([stream('video', 'h264', 300), stream('audio', codec, 301)]);
  expect([verdict, leavesOutSound]).toEqual(['own', true]);
  expect(own.audio).toBeUndefined();
  // It may be of layer 3, which only a look at its frames tells.
  expect(own.mpegAudio).toEqual(codec === 'mp2' ? { pid: 301 } : undefined);
});

test('of a transport stream, a picture that FLV has no place for is for nobody', () => {
  for (const codec of ['mpeg2video', 'mpeg4', 'vvc', 'av1']) {
    expect(verdictOnTs([stream('video', codec), stream('audio', 'aac')]).verdict).toBe('impossible');
  }
  for (const codec of ['ac3', 'opus', 'aac_latm']) {
    expect(verdictOnTs([stream('audio', codec)]).verdict).toBe('impossible');
  }
  expect(verdictOnTs([stream('other', '0x6')]).verdict).toBe('impossible');
});

test('of FLV the verdict follows what the headers and frames show', () => {
  const verdict = new FlvVerdict();
  const video = (payload: Uint8Array) => verdict.see({ type: messageType.video, timestamp: 0, payload });
  const audio = (payload: Uint8Array) => verdict.see({ type: messageType.audio, timestamp: 0, payload });
  video(videoHeader('h264', new Uint8Array(10)));
  audio(audioHeader(Uint8Array.of(0x11, 0x90)));
  expect(verdict.current).toBe('own');
  audio(Uint8Array.of(0x2f, 1, 2, 3));
  expect(verdict.current).toBe('ffmpeg');
  video(videoHeader('hevc', new Uint8Array(10)));
  expect([verdict.current, verdict.leavesOutSound]).toEqual(['own', true]);
  audio(audioHeader(Uint8Array.of(0x11, 0x90)));
  expect(verdict.current).toBe('own');
  // AAC that describes its channels itself, Opus, VP6.
  audio(audioHeader(Uint8Array.of(0x11, 0x80)));
  video(videoHeader('h264', new Uint8Array(10)));
  expect(verdict.current).toBe('ffmpeg');
  audio(Uint8Array.of(0x91, ...Buffer.from('Opus'), 1));
  expect([verdict.current, verdict.leavesOutSound]).toEqual(['own', true]);
  audio(audioHeader(Uint8Array.of(0x11, 0x90)));
  video(Uint8Array.of(0x14, 1, 2));
  expect(verdict.current).toBe('impossible');
});
