import { expect, test } from 'bun:test';
import { clientKeeping, coarseSeconds, connectionKeeping, createQualityMeter } from './meter.ts';
import type { Readings } from './readings.ts';

const none = { packets: 0, lost: 0, retransmitted: 0, dropped: 0 };

test('packets count over the last second, the loss percentage over ten seconds', () => {
  const meter = createQualityMeter(connectionKeeping);
  expect(meter.now).toBeUndefined();
  meter.tick({ packets: 100, lost: 10, retransmitted: 4, rttMs: 20 });
  expect(meter.now).toEqual({ lost: 10, retransmitted: 4, rttMs: 20, lossPercent: 10 });
  for (let second = 2; second <= 10; second++) {
    meter.tick({ packets: second * 100, lost: 10, retransmitted: 4, rttMs: 21 });
  }
  expect(meter.now).toEqual({ lost: 0, retransmitted: 0, rttMs: 21, lossPercent: 1 });
  meter.tick({ packets: 1100, lost: 10, retransmitted: 4, rttMs: 21 });
  expect(meter.now?.lossPercent).toBe(0);
});

test('a total that fell counts again; one that did not change while disconnected continues', () => {
  const meter = createQualityMeter(connectionKeeping);
  meter.tick({ packets: 500, lost: 50 });
  meter.tick(undefined);
  expect(meter.now).toBeUndefined();
  meter.tick({ packets: 510, lost: 50 });
  expect(meter.now).toEqual({ lost: 0, lossPercent: 0 });
  meter.tick({ packets: 30, lost: 3 });
  expect(meter.now?.lost).toBe(3);
});

test('the loss percentage of no packets is unknown', () => {
  const meter = createQualityMeter(connectionKeeping);
  meter.tick({ ...none, rttMs: 5 });
  expect(meter.now).not.toHaveProperty('lossPercent');
  meter.tick({ packets: 0, lost: 7 });
  expect(meter.now?.lossPercent).toBe(100);
});

test('the history has seconds for five minutes and steps of five seconds for an hour', () => {
  const meter = createQualityMeter(connectionKeeping);
  for (let second = 1; second <= 400; second++) {
    meter.tick({ packets: second * 10, lost: second, rttMs: second % 5 === 0 ? 90 : 10 });
  }
  const short = meter.history(5);
  expect(short).toMatchObject({ stepSeconds: 1 });
  expect(short?.connected).toHaveLength(300);
  expect(short?.figures.lost?.at(-1)).toBe(1);
  const long = meter.history(60);
  expect(long).toMatchObject({ stepSeconds: coarseSeconds });
  expect(long?.connected).toHaveLength(80);
  // Packets are added up; of delays the longest is kept.
  expect(long?.figures.lost?.at(-1)).toBe(5);
  expect(long?.figures.rttMs?.at(-1)).toBe(90);
  expect(long?.figures.lossPercent?.at(-1)).toBe(10);
  expect(long?.figures.jitterMs).toBeUndefined();
});

test('the oldest values are dropped', () => {
  const meter = createQualityMeter({ fine: 3, coarse: 1 });
  for (const rttMs of [1, 2, 3, 4, 5]) meter.tick({ rttMs });
  expect(meter.history(0.05)?.figures.rttMs).toEqual([3, 4, 5]);
});

test('gaps in the connection are marked, and have no values', () => {
  const meter = createQualityMeter(connectionKeeping);
  meter.tick(undefined);
  expect(meter.history(5)).toBeUndefined();
  for (const readings of [{ rttMs: 1 }, undefined, {}, { rttMs: 4 }, { rttMs: 5 }] as (Readings | undefined)[]) {
    meter.tick(readings);
  }
  expect(meter.history(5)).toEqual({
    stepSeconds: 1,
    connected: [true, false, true, true, true],
    figures: { rttMs: [1, null, null, 4, 5] },
  });
  expect(meter.history(60)).toEqual({ stepSeconds: 5, connected: [false], figures: { rttMs: [5] } });
});

test('a connection without figures stores nothing, one with all of them stays within its limit', () => {
  const silent = createQualityMeter(connectionKeeping);
  silent.tick({});
  silent.tick(undefined);
  expect(silent.bytes).toBe(0);
  const all = { packets: 1, lost: 1, retransmitted: 1, dropped: 1, ccErrors: 1, rttMs: 1, jitterMs: 1, bufferMs: 1 };
  const connection = createQualityMeter(connectionKeeping);
  const client = createQualityMeter(clientKeeping);
  for (let second = 0; second < coarseSeconds; second++) {
    connection.tick(all);
    client.tick(all);
  }
  expect(connection.bytes).toBeGreaterThan(1000);
  expect(connection.bytes).toBeLessThanOrEqual(34_000);
  expect(client.bytes).toBeLessThanOrEqual(4000);
  expect(client.history(60)?.connected).toEqual([true]);
});
