/** The outputs of one channel: each its own leg, told apart by id, so that changing one touches no other. */
import type { Log } from '../lib/log.ts';
import type { OutputTarget } from './addresses.ts';
import { type Attempt, type AttemptEvents, Leg } from './leg.ts';
import { createQualityMeter, legKeeping, type QualityMeter } from './quality/meter.ts';
import type { OutputStatus } from './status.ts';
import type { WantedOutput } from './wanted.ts';

export type OpenOutput = (outputId: number, target: OutputTarget, events: AttemptEvents) => Attempt;

interface Entry {
  readonly id: number;
  readonly target: string;
  readonly leg: Leg;
  readonly quality: QualityMeter;
  /** It is called: players may wait there for the input, as they may with the play key. */
  readonly isListener: boolean;
  /** Nobody is asked by datagrams: it is ready before the input is, so that the first picture goes out. */
  readonly isDatagram: boolean;
  enabled: boolean;
}

export interface ChannelOutputs {
  /** Adds, changes and removes; a leg whose target didn't change goes on undisturbed. */
  apply(wanted: readonly WantedOutput[]): void;
  /** Runs the enabled legs while the channel has something to send. */
  reconsider(isOn: boolean, hasInput: boolean): void;
  tick(nowMs: number): void;
  status(): OutputStatus[];
  quality(outputId: number): QualityMeter | undefined;
  /** Bytes sent by all of them, also by those that are gone. */
  readonly bytes: number;
  close(reason: string): void;
}

export interface ChannelOutputsOptions {
  readonly channelId: number;
  readonly log: Log;
  readonly open: OpenOutput;
  readonly onChange: () => void;
}

const isListener = (target: OutputTarget): boolean =>
  target.protocol === 'rtsp' || (target.protocol === 'srt' && target.mode === 'listener');

export function createChannelOutputs({ channelId, log, open, onChange }: ChannelOutputsOptions): ChannelOutputs {
  const entries = new Map<number, Entry>();
  let goneBytes = 0;
  let isOn = false;
  let hasInput = false;

  function remove(entry: Entry, reason: string): void {
    entry.leg.close(reason);
    goneBytes += entry.leg.bytes;
    entries.delete(entry.id);
  }

  function add({ id, target, enabled }: WantedOutput): void {
    const name = `channel ${channelId} output ${id}`;
    const leg = new Leg({ name, log, onChange, open: (events) => open(id, target, events) });
    const quality = createQualityMeter(legKeeping);
    const isDatagram = target.protocol === 'udp' || target.protocol === 'rtp';
    const kind = { isListener: isListener(target), isDatagram };
    entries.set(id, { id, target: JSON.stringify(target), leg, quality, ...kind, enabled });
  }

  function steer({ leg, enabled, isListener, isDatagram }: Entry): void {
    const on = isOn && enabled;
    leg.want(on && (hasInput || isListener || isDatagram), on ? 'noInput' : 'switchedOff', isDatagram && !hasInput);
  }

  return {
    apply(wanted) {
      const kept = new Map(wanted.map((output) => [output.id, output]));
      for (const entry of [...entries.values()]) {
        const next = kept.get(entry.id);
        if (!next) remove(entry, 'output removed');
        else if (JSON.stringify(next.target) !== entry.target) remove(entry, 'output changed');
        else entry.enabled = next.enabled;
      }
      for (const output of wanted) if (!entries.has(output.id)) add(output);
      for (const entry of entries.values()) steer(entry);
    },
    reconsider(on, input) {
      isOn = on;
      hasInput = input;
      for (const entry of entries.values()) steer(entry);
    },
    tick(nowMs) {
      for (const { leg, quality } of entries.values()) {
        leg.tick(nowMs);
        quality.tick(leg.readings());
      }
    },
    status: () =>
      [...entries.values()].map(({ id, leg, quality: { now } }) => ({
        id,
        ...leg.status(),
        ...(now && { quality: now }),
      })),
    quality: (outputId) => entries.get(outputId)?.quality,
    get bytes() {
      let sum = goneBytes;
      for (const entry of entries.values()) sum += entry.leg.bytes;
      return sum;
    },
    close(reason) {
      for (const entry of [...entries.values()]) remove(entry, reason);
    },
  };
}
