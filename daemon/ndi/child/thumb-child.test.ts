import { expect, test } from 'bun:test';
import { untilSeen } from '../../../tests/support/until.ts';
import { shippedTiming } from '../../shipped-timing.ts';
import { ThumbChild } from './thumb-child.ts';

/** A process that looks for new frames of one source, which sends none. */
function start(hubSilentMs: number) {
  let looks = 0;
  const capture = () => {
    looks++;
    return 0;
  };
  const receive = Object.fromEntries([
    ['NDIlib_recv_create_v3', () => 1],
    ['NDIlib_recv_destroy', () => undefined],
    ['NDIlib_recv_capture_v3', capture],
  ]) as unknown as ConstructorParameters<typeof ThumbChild>[0]['receive'];
  const timing = { ...shippedTiming.ndiThumbnails, lookMs: 1, hubSilentMs };
  const child = new ThumbChild({ receive, timing, send: () => undefined });
  child.receive({ type: 'watch', names: ['A (1)'] });
  return { child, looks: () => looks };
}

test('frames are received for a hub that was heard recently, and not for one that has stopped', async () => {
  const [heard, silent] = [start(60_000), start(-1)];
  await untilSeen(heard.looks, (looks) => looks >= 10);
  expect(silent.looks()).toBe(0);
  for (const { child } of [heard, silent]) child.close();
});
