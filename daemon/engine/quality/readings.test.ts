import { expect, test } from 'bun:test';
import { datagramReadings, sendingReadings } from './readings.ts';

test('RTP duplicates do not count as expected packets, missing packets do', () => {
  const report = { received: 102, lost: 10, reordered: 3, late: 12, jitterMs: 1.5 };
  expect(datagramReadings(report)).toEqual({ packets: 100, lost: 10, jitterMs: 1.5 });
});

test('the loss of plain datagrams is unknown', () => {
  expect(datagramReadings({ received: 100, jitterMs: 2 })).toEqual({ jitterMs: 2 });
});

test('without figures of the protocol, the queue and skipped units are reported', () => {
  expect(sendingReadings({ skipped: 3, queueMs: 40 })).toEqual({ dropped: 3, bufferMs: 40 });
  expect(sendingReadings({ skipped: 3 })).toEqual({ dropped: 3 });
  const srt = { rttMs: 9, packets: 50, lost: 2, retransmitted: 2, dropped: 1, bufferMs: 30 };
  expect(sendingReadings({ srt, skipped: 3, queueMs: 40 })).toEqual(srt);
});
