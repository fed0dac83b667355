import { expect, test } from 'bun:test';
import { sendFrames } from './send-frames.ts';

test('after a jump of the times, frames are sent on', async () => {
  const sent: number[] = [];
  const times = [0, 60_000, 20, 40];
  const frames = times.map((time) => ({
    ...{ kind: 'audio' as const, time },
    data: new Uint8Array(new Float32Array([time]).buffer),
  }));
  await sendFrames(
    { streams: { audio: { sampleRate: 48_000, channels: 1 } }, next: async () => frames.shift() },
    { video: () => {}, audio: ({ data }) => void sent.push(new Float32Array(data.buffer)[0] ?? Number.NaN) },
    { delayMs: 200, excessMs: 100 },
  );
  expect(sent).toEqual([0, 20, 40]);
});
