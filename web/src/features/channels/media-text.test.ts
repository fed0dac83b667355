import { expect, test } from 'bun:test';
import { pictureText, soundText } from './media-text.ts';

test('a picture is named by size, rate and codec', () => {
  expect(pictureText({ codec: 'h264', width: 1920, height: 1080, fps: 30_000 / 1001 })).toBe(
    '1920×1080 · 29.97 fps · H.264',
  );
});

test('what is not known of a picture is left out', () => {
  expect(pictureText({ codec: 'dirac' })).toBe('dirac');
  expect(pictureText(undefined)).toBeUndefined();
});

test('sound is named by codec, rate and channels', () => {
  expect(soundText({ codec: 'aac', 'sample-rate': 44_100, channels: 2 })).toBe('AAC · 44.1 kHz · 2 ch');
});
