import { expect, test } from 'bun:test';
import { datagramReadings, sendingReadings } from './readings.ts';

test('of RTP what came twice is no packet that should have come, and what is missing is one', () => {
  const report = { received: 102, lost: 10, reordered: 3, late: 12, jitterMs: 1.5 };
  expect(datagramReadings(report)).toEqual({ packets: 100, lost: 10, jitterMs: 1.5 });
});

test('of plain datagrams nobody knows what is missing', () => {
  expect(datagramReadings({ received: 100, jitterMs: 2 })).toEqual({ jitterMs: 2 });
});

test('without figures of the protocol the queue speaks, and what was left out', () => {
  expect(sendingReadings({ skipped: 3, queueMs: 40 })).toEqual({ dropped: 3, bufferMs: 40 });
  expect(sendingReadings({ skipped: 3 })).toEqual({ dropped: 3 });
  const srt = { rttMs: 9, packets: 50, lost: 2, retransmitted: 2, dropped: 1, bufferMs: 30 };
  expect(sendingReadings({ srt, skipped: 3, queueMs: 40 })).toEqual(srt);
});
