import { expect, test } from 'bun:test';
import { furtherTracks, pictureText, soundText } from './media-text.ts';

test('video is described by size, rate and codec', () => {
  expect(pictureText({ codec: 'h264', width: 1920, height: 1080, fps: 30_000 / 1001 })).toBe(
    '1920×1080 · 29.97 fps · H.264',
  );
});

test('unknown properties of video are omitted', () => {
  expect(pictureText({ codec: 'dirac' })).toBe('dirac');
  expect(pictureText(undefined)).toBeUndefined();
});

test('audio is described by codec, rate and channels', () => {
  expect(soundText({ codec: 'aac', 'sample-rate': 44_100, channels: 2 })).toBe('AAC · 44.1 kHz · 2 ch');
});

test('interlaced video is marked, and audio shows its language', () => {
  expect(pictureText({ codec: 'h264', width: 1920, height: 1080, fps: 25, interlaced: true })).toBe(
    '1920×1080i · 25 fps · H.264',
  );
  expect(soundText({ codec: 'mp2', 'sample-rate': 48_000, channels: 2, language: 'deu' })).toBe(
    'MP2 · 48 kHz · 2 ch · deu',
  );
});

test('further video and audio tracks are listed with their languages', () => {
  const [video, first] = [{ kind: 'video', codec: 'h264' } as const, { kind: 'audio', codec: 'mp2' } as const];
  expect(furtherTracks({ container: 'ts' })).toEqual([]);
  expect(
    furtherTracks({ container: 'ts', tracks: [first, video, { ...first, codec: 'ac3', language: 'fra' }] }),
  ).toEqual(['AC-3 fra']);
});
