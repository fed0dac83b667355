import { expect, test } from 'bun:test';
import type { FailoverRule } from '../../media/protocol/desired.ts';
import { Ring, RingBudget } from '../bus/bus.ts';
import type { Channel } from '../channel/channel.ts';
import type { Publisher } from '../channel/publisher.ts';
import { type FlvUnit, messageType } from '../flv/flv-bus.ts';
import { Candidate } from './candidate.ts';

const rule: FailoverRule = {
  ...{ standby: 'hot', 'no-data-ms': 300, 'no-video-ms': 1000, 'no-audio-ms': 0, back: 'stable', 'stable-s': 2 },
  slate: { kind: 'none' },
};
/** Limits of a ring that evicts a group of pictures after ten units. */
const small = { lagMs: 1000, lagBytes: 1000, ownBytes: 1000, maxBytes: 1000, maxMs: 60_000 };

function candidate() {
  let clock = 0;
  const ring = new Ring<FlvUnit>(small, () => clock, new RingBudget(0));
  const sourceChannel = {
    watchInput: () => () => undefined,
    flv: { ring, headers: {} },
    input: { current: { shape: 'flv' } as Publisher },
  } as unknown as Channel;
  const ignore = () => undefined;
  const events = { onPiece: ignore, onBatch: ignore, onChange: ignore };
  const input = new Candidate({ sourceChannel, rule, now: () => clock, ...events });
  input.open();
  return {
    input,
    ring,
    /** Sends one unit every 100 ms. */
    send(units: number, isEntry = false): void {
      for (let i = 0; i < units; i++) {
        clock += 100;
        const messages = [{ type: messageType.video, timestamp: clock, payload: new Uint8Array(100) }];
        ring.push({ messages, bytes: 100, entryPoint: isEntry });
        ring.notify();
      }
    },
    pass(ms: number): void {
      clock += ms;
    },
    now: () => clock,
  };
}

test('an input is good while it flows, however long its groups of pictures are', () => {
  const { input, ring, send, now } = candidate();
  send(3);
  expect(input.view(now())).toMatchObject({ loss: 'noData', goodMs: 0 });
  send(1, true);
  expect(input.view(now())).toMatchObject({ loss: undefined, canJoin: true });
  send(40);
  expect(ring.newestEntry).toBe(-1);
  // A viewer can't join now, but those who watch see it.
  expect(input.view(now())).toEqual({ loss: undefined, canJoin: false, goodMs: 4000 });
});

test('an input that sends nothing is lost, whatever the ring holds', () => {
  const { input, send, pass, now } = candidate();
  send(1, true);
  pass(rule['no-data-ms'] + 1);
  expect(input.view(now())).toEqual({ loss: 'noData', canJoin: true, goodMs: 0 });
});
