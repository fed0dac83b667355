/** Common part of all pulled transport streams: their bytes fill the channel's bus while the attempt lasts. */

import type { ConnectionReason } from '../../media/protocol/reported.ts';
import type { TsChoice } from '../../sources/stream-address.ts';
import type { Attempt, AttemptEvents, Termination } from '../connection/connection.ts';
import { createTsSink } from '../mpegts/ts-sink.ts';
import type { Channel } from './channel.ts';
import { noSync, occupied } from './input-ends.ts';
import { type Publisher, tsPublisher } from './publisher.ts';

export interface FetchedInput {
  readonly attempt: Attempt;
  /** Aborted when the attempt ends, from either side. */
  readonly signal: AbortSignal;
  connected(): void;
  /** The channel has a publisher from the first bytes on. */
  receive(bytes: Uint8Array): void;
  /** Ends a failed attempt. */
  finish(end: Termination): void;
  /** The source is silent but may continue: releases the channel and keeps the attempt. */
  rest(): void;
}

export interface FetchedInputOptions {
  readonly protocol: 'http' | 'rtsp' | 'ndi';
  /** Shown as the address of the source. */
  readonly peer: string;
  readonly channel: Channel;
  readonly events: AttemptEvents;
  /** Selected program and audio track; the whole stream if undefined. */
  readonly choice?: TsChoice | undefined;
  /** Milliseconds of buffered media. */
  readonly bufferMs?: () => number;
  /** For sources that arrive as datagrams. */
  readonly datagrams?: Publisher['datagrams'];
  /** Called when no data has arrived for a while. */
  readonly stalled: () => void;
}

export function createFetchedInput({
  protocol,
  peer,
  channel,
  events,
  choice,
  bufferMs,
  datagrams,
  stalled,
}: FetchedInputOptions): FetchedInput {
  const sink = createTsSink(channel.ts, choice);
  const aborter = new AbortController();
  const over = (reason: ConnectionReason) => {
    aborter.abort();
    channel.endPublish(publisher, reason);
  };
  const finish = (cause: Termination) => {
    // An HTML error page is short, and then the server closes.
    const end = cause.reason === 'closedByPeer' && sink.isNoise ? noSync : cause;
    over(end.reason);
    events.ended(end);
  };
  const attempt: Attempt = {
    get bytes() {
      return sink.bytes;
    },
    skipped: 0,
    close: () => over('switchedOff'),
  };
  const publisher = tsPublisher(sink, {
    protocol,
    peer: () => peer,
    bufferMs,
    datagrams,
    stalled,
    close: (reason) => attempt.close(reason),
  });
  return {
    attempt,
    signal: aborter.signal,
    connected: events.connected,
    receive(bytes) {
      if (aborter.signal.aborted) return;
      if (channel.input.current !== publisher && channel.beginPublish(publisher)) {
        finish(occupied);
        return;
      }
      sink.write(bytes);
      sink.flush();
      if (sink.isOutOfSync) finish(noSync);
    },
    finish,
    rest: () => channel.endPublish(publisher, 'noData'),
  };
}
