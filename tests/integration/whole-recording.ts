import { expect } from 'bun:test';
import { picture, type Recording } from './live-media.ts';

/** Video and audio of the test encoder, in order and without a gap of 100 ms, for about that long. */
export function expectWhole(recording: Recording, seconds: number): void {
  const { videoCodec, audioCodec, width, height, longestGap, duration, goesBack } = recording;
  expect({ videoCodec, audioCodec, width, height, goesBack }).toEqual({
    videoCodec: picture.codec,
    audioCodec: 'aac',
    width: picture.width,
    height: picture.height,
    goesBack: false,
  });
  expect(longestGap.video).toBeLessThan(0.1);
  expect(longestGap.audio).toBeLessThan(0.1);
  expect(duration).toBeGreaterThan(seconds - 2);
}
