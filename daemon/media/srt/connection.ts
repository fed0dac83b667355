/** What came in over SRT becomes the channel's publisher or one of its clients. */

import type { TsChoice } from '../../lib/input-options.ts';
import type { Channel } from '../channel.ts';
import type { Publisher } from '../channel-input.ts';
import { lackOf } from '../input-ends.ts';
import type { SpsReader } from '../mpegts/stream-facts.ts';
import { createTsSink } from '../mpegts/ts-sink.ts';
import type { LegReason } from '../status.ts';
import type { LegStatistics } from './protocol.ts';
import { reportOf } from './report.ts';
import { canBeLinked, type SrtSource } from './source.ts';

/** One connection that came in. */
export interface Connection {
  figures: LegStatistics | undefined;
  receive(bytes: Uint8Array): void;
  /** It is over; may be called again. */
  closed(reason: string): void;
}

export interface PublisherOptions {
  readonly channel: Channel;
  readonly peer: string;
  readonly readSps: SpsReader;
  /** What is taken of the stream; everything without it. */
  readonly choice: TsChoice | undefined;
  readonly source: SrtSource;
  /** Ends the connection and forgets it. */
  readonly drop: () => void;
}

/** Undefined when the channel has a publisher already. */
export function publisherOf(options: PublisherOptions): Connection | undefined {
  const { channel, peer, readSps, choice, source, drop } = options;
  const sink = createTsSink(channel.ts, readSps, choice);
  const isLinked = canBeLinked(channel, choice);
  const connection: Connection = {
    figures: undefined,
    receive(bytes) {
      sink.write(bytes);
      sink.flush();
    },
    closed: (reason) => channel.endPublish(publisher, endReason(reason)),
  };
  const end = (reason: LegReason) => {
    drop();
    channel.endPublish(publisher, reason);
  };
  const publisher: Publisher = {
    protocol: 'srt',
    shape: 'ts',
    ...(isLinked && { linkedBy: 'srt' }),
    pace: source.pace,
    peer: () => peer,
    bytes: () => sink.bytes,
    media: () => sink.media,
    continuityErrors: () => sink.continuityErrors,
    arrivals: () => sink.arrivals,
    srt: () => reportOf(connection.figures),
    lacks: () => lackOf(sink),
    stalled: () => end('stalled'),
    close: () => end('switchedOff'),
  };
  if (channel.beginPublish(publisher)) return undefined;
  source.begin(channel.id, isLinked);
  return connection;
}

/** Undefined when a bound is reached. `outputId`: it came to this output, not with the play key. */
export function clientOf(
  channel: Channel,
  peer: string,
  outputId: number | undefined,
  drop: () => void,
): Connection | undefined {
  const connection: Connection = { figures: undefined, receive: () => undefined, closed: () => leave() };
  const entry = channel.addClient({
    protocol: 'srt',
    peer,
    ...(outputId !== undefined && { outputId }),
    bytes: () => connection.figures?.bytes ?? 0,
    skipped: () => connection.figures?.skips ?? 0,
    queueMs: () => connection.figures?.buffer_ms ?? 0,
    srt: () => reportOf(connection.figures),
    close() {
      drop();
      leave();
    },
  });
  if ('refused' in entry) return undefined;
  const receiver = channel.addReceiver('srt');
  const leave = () => {
    receiver.gone();
    entry.remove();
  };
  return connection;
}

function endReason(reason: string): LegReason {
  if (reason === 'no sync') return 'noSync';
  if (reason === 'timeout' || reason === 'slow') return 'timeout';
  if (reason === 'endpoint gone') return 'partMissing';
  return reason === 'key removed' || reason === 'listener closed' ? 'switchedOff' : 'closedByPeer';
}
