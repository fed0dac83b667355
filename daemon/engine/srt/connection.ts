/** Turns an incoming SRT connection into the channel's publisher or one of its clients. */

import type { ConnectionReason } from '../../media/protocol/reported.ts';
import type { TsChoice } from '../../sources/stream-address.ts';
import type { Channel } from '../channel/channel.ts';
import { tsPublisher } from '../channel/publisher.ts';
import { createTsSink } from '../mpegts/ts-sink.ts';
import type { ConnectionStatistics } from './protocol.ts';
import { reportOf } from './report.ts';
import { canBeLinked, type SrtSource } from './source.ts';

/** One incoming connection. */
export interface Connection {
  figures: ConnectionStatistics | undefined;
  receive(bytes: Uint8Array): void;
  /** The connection has ended; may be called again. */
  closed(reason: string): void;
}

export interface PublisherOptions {
  readonly channel: Channel;
  readonly peer: string;
  /** Selected program and audio track; the whole stream if undefined. */
  readonly choice: TsChoice | undefined;
  readonly source: SrtSource;
  /** Closes the connection and removes it. */
  readonly drop: () => void;
}

/** Returns undefined if the channel already has a publisher. */
export function publisherOf(options: PublisherOptions): Connection | undefined {
  const { channel, peer, choice, source, drop } = options;
  const sink = createTsSink(channel.ts, choice);
  const isLinked = canBeLinked(channel, choice);
  const connection: Connection = {
    figures: undefined,
    receive(bytes) {
      sink.write(bytes);
      sink.flush();
    },
    closed: (reason) => channel.endPublish(publisher, endReason(reason)),
  };
  const end = (reason: ConnectionReason) => {
    drop();
    channel.endPublish(publisher, reason);
  };
  const publisher = tsPublisher(sink, {
    protocol: 'srt',
    linkedBy: isLinked ? 'srt' : undefined,
    pace: source.pace,
    peer: () => peer,
    srt: () => reportOf(connection.figures),
    stalled: () => end('stalled'),
    close: () => end('switchedOff'),
  });
  if (channel.beginPublish(publisher)) return undefined;
  source.begin(channel.id, isLinked);
  return connection;
}

/** Returns undefined if a limit is reached. `outputId`: the output it connected to, if not by play key. */
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
  const stopFeeding = channel.addReceiver('srt');
  const leave = () => {
    stopFeeding();
    entry.remove();
  };
  return connection;
}

function endReason(reason: string): ConnectionReason {
  if (reason === 'no sync') return 'noSync';
  if (reason === 'timeout' || reason === 'slow') return 'timeout';
  if (reason === 'endpoint gone') return 'partMissing';
  return reason === 'key removed' || reason === 'listener closed' ? 'switchedOff' : 'closedByPeer';
}
