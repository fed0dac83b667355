/** The outputs of one channel. Each is its own connection, identified by id, so that changing one affects no other. */
import { isDeepStrictEqual } from 'node:util';
import type { Log } from '../../lib/log.ts';
import type { DesiredOutput } from '../../media/protocol/desired.ts';
import type { OutputStatus } from '../../media/protocol/reported.ts';
import type { OutputTarget } from '../../sources/stream-address.ts';
import { type Attempt, type AttemptEvents, Connection } from '../connection/connection.ts';
import { connectionKeeping, createQualityMeter, type QualityMeter } from '../quality/meter.ts';
import type { Ready } from './input-sharing.ts';

interface Entry {
  readonly id: number;
  readonly target: OutputTarget;
  readonly connection: Connection;
  readonly quality: QualityMeter;
  /** Players connect to it. They may wait there for the input, as with the play key. */
  readonly isListener: boolean;
  /** Datagrams need no peer's consent: the output is ready before the input, so that the first frame goes out. */
  readonly isDatagram: boolean;
  enabled: boolean;
}

export type ChannelOutputs = ReturnType<typeof createChannelOutputs>;

interface ChannelOutputsOptions {
  readonly channelId: number;
  readonly log: Log;
  readonly ready: Ready | undefined;
  readonly open: (outputId: number, target: OutputTarget, events: AttemptEvents) => Attempt;
  readonly onChange: () => void;
}

const isListener = (target: OutputTarget): boolean =>
  target.protocol === 'rtsp' || (target.protocol === 'srt' && target.mode === 'listener');

export function createChannelOutputs({ channelId, log, ready, open, onChange }: ChannelOutputsOptions) {
  const entries = new Map<number, Entry>();
  let goneBytes = 0;
  let isOn = false;
  let hasInput = false;

  function remove(entry: Entry, reason: string): void {
    entry.connection.close(reason);
    goneBytes += entry.connection.bytes;
    entries.delete(entry.id);
  }

  function add({ id, target, enabled }: DesiredOutput): void {
    const name = `channel ${channelId} output ${id}`;
    const connection = new Connection({
      ...{ name, log, onChange },
      ready: () => ready?.(target),
      open: (events) => open(id, target, events),
    });
    const quality = createQualityMeter(connectionKeeping);
    const isDatagram = target.protocol === 'udp' || target.protocol === 'rtp';
    const kind = { isListener: isListener(target), isDatagram };
    entries.set(id, { id, target, connection, quality, ...kind, enabled });
  }

  function steer({ connection, enabled, isListener, isDatagram }: Entry): void {
    const on = isOn && enabled;
    connection.want(
      on && (hasInput || isListener || isDatagram),
      on ? 'noInput' : 'switchedOff',
      isDatagram && !hasInput,
    );
  }

  return {
    /** Adds, changes and removes outputs. A connection whose target is unchanged continues undisturbed. */
    apply(desired: readonly DesiredOutput[]): void {
      const kept = new Map(desired.map((output) => [output.id, output]));
      for (const entry of [...entries.values()]) {
        const next = kept.get(entry.id);
        if (!next) remove(entry, 'output removed');
        else if (!isDeepStrictEqual(next.target, entry.target)) remove(entry, 'output changed');
        else entry.enabled = next.enabled;
      }
      for (const output of desired) if (!entries.has(output.id)) add(output);
      for (const entry of entries.values()) steer(entry);
    },
    /** Runs the enabled connections while the channel has something to send. */
    reconsider(on: boolean, input: boolean): void {
      isOn = on;
      hasInput = input;
      for (const entry of entries.values()) steer(entry);
    },
    tick(nowMs: number): void {
      for (const { connection, quality } of entries.values()) {
        connection.tick(nowMs);
        quality.tick(connection.readings());
      }
    },
    status: (): OutputStatus[] =>
      [...entries.values()].map(({ id, connection, quality: { now } }) => ({
        id,
        ...connection.status(),
        ...(now && { quality: now }),
      })),
    quality: (outputId: number) => entries.get(outputId)?.quality,
    /** Bytes sent by all outputs, including removed ones. */
    get bytes(): number {
      let sum = goneBytes;
      for (const entry of entries.values()) sum += entry.connection.bytes;
      return sum;
    },
    close(reason: string): void {
      for (const entry of [...entries.values()]) remove(entry, reason);
    },
  };
}
