import { expect, test } from 'bun:test';
import { createSilenceMeter } from './silence-meter.ts';

test('a track that never arrives counts as silent from the start, one that arrives does not', () => {
  const quiet = createSilenceMeter();
  const counts = { video: 0, audio: 0 };
  quiet.begin(100_000);
  for (let second = 1; second <= 7; second++) {
    counts.video += 25;
    quiet.tick(counts, 100_000 + second * 1000);
  }
  expect(quiet.status()).toEqual({ video: 0, audio: 7 });
  counts.audio++;
  quiet.tick(counts, 108_000);
  quiet.tick(counts, 109_500);
  expect(quiet.status()).toEqual({ video: 2, audio: 1 });
});

test('another publisher resets the meter', () => {
  const quiet = createSilenceMeter();
  quiet.begin(0);
  quiet.tick({ video: 10, audio: 0 }, 60_000);
  quiet.begin(70_000);
  quiet.tick({ video: 0, audio: 3 }, 72_000);
  expect(quiet.status()).toEqual({ video: 2, audio: 0 });
});
