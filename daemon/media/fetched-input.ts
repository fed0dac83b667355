/** What every fetched transport stream has in common: its bytes fill the channel's bus while the attempt lives. */

import type { TsChoice } from '../lib/input-options.ts';
import type { Channel } from './channel.ts';
import type { Publisher } from './channel-input.ts';
import { lackOf, noSync, occupied } from './input-ends.ts';
import type { Attempt, AttemptEvents, LegEnd } from './leg.ts';
import { createTsSink } from './mpegts/ts-sink.ts';
import { readSps } from './read-sps.ts';
import type { LegReason } from './status.ts';

export interface FetchedInput {
  readonly attempt: Attempt;
  /** Aborted when the attempt is over, whoever ended it. */
  readonly signal: AbortSignal;
  connected(): void;
  /** The channel has a publisher from the first bytes on. */
  receive(bytes: Uint8Array): void;
  /** It failed. */
  finish(end: LegEnd): void;
  /** The source is silent and may go on: the channel is given free, the attempt lives. */
  rest(): void;
}

export interface FetchedInputOptions {
  readonly protocol: 'http' | 'rtsp' | 'ndi';
  /** Shown as where it comes from. */
  readonly peer: string;
  readonly channel: Channel;
  readonly events: AttemptEvents;
  /** What is taken of the stream; everything without it. */
  readonly choice?: TsChoice | undefined;
  /** Milliseconds of media that wait for their time. */
  readonly bufferMs?: () => number;
  /** Of what comes in packets. */
  readonly datagrams?: NonNullable<Publisher['datagrams']>;
  /** Nothing came for a while. */
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
  const sink = createTsSink(channel.ts, readSps, choice);
  const aborter = new AbortController();
  const isOver = () => aborter.signal.aborted;
  const over = (reason: LegReason) => {
    aborter.abort();
    channel.endPublish(publisher, reason);
  };
  const finish = (cause: LegEnd) => {
    if (isOver()) return;
    // A page with an error is short, and then the server closes.
    const end = cause.reason === 'closedByPeer' && sink.isNoise ? noSync : cause;
    over(end.reason);
    events.ended(end);
  };
  const attempt: Attempt = {
    get bytes() {
      return sink.bytes;
    },
    skipped: 0,
    close() {
      if (!isOver()) over('switchedOff');
    },
  };
  const publisher: Publisher = {
    protocol,
    shape: 'ts',
    peer: () => peer,
    bytes: () => sink.bytes,
    media: () => sink.media,
    arrivals: () => sink.arrivals,
    continuityErrors: () => sink.continuityErrors,
    srt: () => undefined,
    lacks: () => lackOf(sink),
    ...(bufferMs && { bufferMs }),
    ...(datagrams && { datagrams }),
    stalled,
    close: (reason) => attempt.close(reason),
  };
  return {
    attempt,
    signal: aborter.signal,
    connected() {
      if (!isOver()) events.connected();
    },
    receive(bytes) {
      if (isOver()) return;
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
