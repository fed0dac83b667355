import { expect, test } from 'bun:test';
import { Pacer } from './pacer.ts';

const timing = { delayMs: 150, excessMs: 300 };

test('frames that come in bursts are due evenly, after the delay', () => {
  const pacer = new Pacer(timing);
  for (const [time, now] of [
    [0, 1000],
    [40, 1000],
    [80, 1000],
    [120, 1120],
  ] as const) {
    pacer.arrived(time, now);
    expect(pacer.dueAt(time)).toBe(1150 + time);
  }
});

test('a late frame is due after the delay again, and so are those after it', () => {
  const pacer = new Pacer(timing);
  pacer.arrived(0, 1000);
  pacer.arrived(40, 2000);
  expect(pacer.dueAt(40)).toBe(2150);
  expect(pacer.dueAt(80)).toBe(2190);
});

test('a frame that would wait too long is due after the delay', () => {
  const pacer = new Pacer(timing);
  pacer.arrived(0, 1000);
  pacer.arrived(1000, 1010);
  expect(pacer.dueAt(1000)).toBe(1160);
});

test.each([1.0005, 0.9995])('the delay stays when the clock of the stream runs at %d of ours', (speed) => {
  const pacer = new Pacer(timing);
  for (let time = 0; time < 1_200_000; time += 40) {
    const now = 1000 + time / speed;
    pacer.arrived(time, now);
    const wait = pacer.dueAt(time) - now;
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThan(timing.delayMs + 40);
  }
});
