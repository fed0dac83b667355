/** What pulled inputs have in common: while an attempt lasts, its media makes it the publisher of the channel. */

import type { ConnectionReason } from '../../media/protocol/reported.ts';
import type { TsChoice } from '../../sources/stream-address.ts';
import type { Attempt, AttemptEvents, Termination } from '../connection/connection.ts';
import { endOfFetch } from '../connection/fetch-failure.ts';
import { noSync, occupied, stalled } from '../connection/terminations.ts';
import { createTsSink } from '../mpegts/ts-sink.ts';
import type { Channel } from './channel.ts';
import { type Publisher, tsPublisher } from './publisher.ts';

interface Ends extends Pick<Publisher, 'stalled' | 'close'> {
  /** The source is silent but may continue: releases the channel and keeps the attempt. */
  rest(): void;
}

/** `publisherWith`: returns the publisher, given the ways in which it ends. */
export function createPulledInput(channel: Channel, events: AttemptEvents, publisherWith: (ends: Ends) => Publisher) {
  const aborter = new AbortController();
  const { signal } = aborter;
  const over = (reason: ConnectionReason) => {
    aborter.abort(reason);
    channel.endPublish(publisher, reason);
  };
  const finish = (end: Termination): void => {
    if (signal.aborted) return;
    over(end.reason);
    events.ended(end);
  };
  const close = () => over('switchedOff');
  const rest = () => channel.endPublish(publisher, 'noData');
  const publisher = publisherWith({ stalled: () => finish(stalled), close, rest });
  const attempt: Attempt = {
    get bytes() {
      return publisher.bytes();
    },
    skipped: 0,
    close,
  };
  return {
    attempt,
    /** Aborted when the attempt ends, from either side. */
    signal,
    /** Ends a failed attempt. */
    finish,
    connected: events.connected,
    /** Call it before media passes. Returns false if the attempt is over or ends now, as the channel is occupied. */
    begin(): boolean {
      if (signal.aborted) return false;
      if (channel.input.current === publisher || !channel.beginPublish(publisher)) return true;
      finish(occupied);
      return false;
    },
  };
}

interface PulledTs {
  readonly signal: AbortSignal;
  connected(): void;
  /** Takes bytes of the transport stream. */
  receive(bytes: Uint8Array): void;
}

interface PulledTsOptions extends Pick<Publisher, 'protocol' | 'bufferMs' | 'datagrams'> {
  /** Shown as the address of the source. */
  readonly peer: string;
  readonly channel: Channel;
  readonly events: AttemptEvents;
  /** Selected program and audio track; the whole stream if undefined. */
  readonly choice?: TsChoice | undefined;
  /** Whether the source may be silent for longer than others. */
  readonly mayRest?: () => boolean;
  /** Runs until the stream ends or the signal aborts. */
  readonly pull: (run: PulledTs) => Promise<void>;
}

/** Opens an input whose protocol delivers a transport stream. */
export function openPulledTs({
  protocol,
  peer,
  channel,
  events,
  choice,
  mayRest,
  pull,
  ...rest
}: PulledTsOptions): Attempt {
  const sink = createTsSink(channel.ts, choice);
  const { attempt, signal, finish, connected, begin } = createPulledInput(channel, events, (ends) =>
    tsPublisher(sink, {
      ...{ protocol, peer: () => peer, ...rest, close: ends.close },
      stalled: () => (mayRest?.() ? ends.rest() : ends.stalled()),
    }),
  );
  const receive = (bytes: Uint8Array) => {
    if (!begin()) return;
    sink.write(bytes);
    sink.flush();
    if (sink.isOutOfSync) finish(noSync);
  };
  pull({ signal, connected, receive }).then(
    () => finish(stalled),
    (error) => {
      const end = endOfFetch(error);
      // An HTML error page is short, and then the server closes.
      finish(end.reason === 'closedByPeer' && sink.isNoise ? noSync : end);
    },
  );
  return attempt;
}
