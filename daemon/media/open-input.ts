/** Opens a fetched input by its protocol, and announces what it brings as the channel's publisher. */

import type { SrtEndpointAddress, UdpEndpointAddress } from './addresses.ts';
import type { Channel } from './channel.ts';
import type { InputAttempt, OpenInput, Publisher } from './channel-input.ts';
import type { Doors } from './doors.ts';
import { openFailover } from './failover/failover.ts';
import { openHttpInput } from './http-input.ts';
import { lackOf, noSync, occupied, stalled } from './input-ends.ts';
import type { Attempt, AttemptEvents, LegEnd } from './leg.ts';
import { createTsPlayout } from './mpegts/ts-playout.ts';
import { createTsSink, type TsSink } from './mpegts/ts-sink.ts';
import { openNdiInput } from './ndi/input.ts';
import { readSps } from './read-sps.ts';
import { openRtmpInput } from './rtmp-input.ts';
import { openRtspInput } from './rtsp-input.ts';
import { canBeLinked } from './srt/source.ts';
import type { SrtDoor } from './srt-door.ts';
import type { LegReason } from './status.ts';
import { openTap } from './tap.ts';
import type { UdpDoor } from './udp-door.ts';

export function openInput(doors: Doors, channel: Channel, ...[source, events]: Parameters<OpenInput>): InputAttempt {
  switch (source.protocol) {
    case 'udp':
    case 'rtp':
      return openUdp(doors.udp, channel, source, events);
    case 'srt':
      if (source.mode === 'listener') {
        return doors.srt.doors.open({ channelId: channel.id, address: source, events });
      }
      return openSrt(doors.srt, channel, source, events);
    case 'rtmp':
      return openRtmpInput(doors.outgoing, source, channel, events);
    case 'rtsp':
      return openRtspInput(doors, source, channel, events);
    case 'http':
      return openHttpInput(doors.outgoing, source, channel, events);
    case 'ndi':
      return openNdiInput(doors.ndi, source, channel, events);
    case 'tap':
      return openTap(() => doors.feeder(source.feeder), channel, events);
    case 'failover':
      return openFailover({
        ...{ channel, events, rule: source.rule, tools: doors.tools },
        find: { main: () => doors.feeder(source.main), backup: () => doors.feeder(source.backup) },
      });
  }
}

/** A publisher whose bytes go through one sink, and that is gone when its attempt is. */
function tsPublisher(
  protocol: 'srt' | 'udp' | 'rtp',
  sink: TsSink,
  rest: {
    readonly attempt: () => Attempt;
    readonly peer: () => string;
    readonly stalled: () => void;
    readonly linkedBy?: 'srt' | 'udp';
    readonly pace?: NonNullable<Publisher['pace']>;
    readonly datagrams?: NonNullable<Publisher['datagrams']>;
    readonly bufferMs?: (() => number) | undefined;
  },
): Publisher {
  return {
    protocol,
    shape: 'ts',
    peer: rest.peer,
    bytes: () => sink.bytes,
    media: () => sink.media,
    continuityErrors: () => sink.continuityErrors,
    srt: () => rest.attempt().srt,
    ...(rest.datagrams && { datagrams: rest.datagrams }),
    stalled: rest.stalled,
    close: (reason) => rest.attempt().close(reason),
    arrivals: () => sink.arrivals,
    lacks: () => lackOf(sink),
    ...(rest.bufferMs && { bufferMs: rest.bufferMs }),
    ...(rest.linkedBy && { linkedBy: rest.linkedBy }),
    ...(rest.pace && { pace: rest.pace }),
  };
}

function openUdp(udp: UdpDoor, channel: Channel, source: UdpEndpointAddress, events: AttemptEvents): Attempt {
  const sink = createTsSink(channel.ts, readSps, source.ts);
  const take = (bytes: Uint8Array) => {
    if (channel.input.current !== publisher && !begin()) return;
    sink.write(bytes);
    sink.flush();
  };
  const playout = source.bufferMs ? createTsPlayout({ delayMs: source.bufferMs, emit: take }) : undefined;
  // Within the endpoint everything passes, and at once.
  const isLinked = source.ts === undefined && playout === undefined;
  const end = (reason: LegReason) => channel.endPublish(publisher, reason);
  /** The channel has a publisher from the first packet on, not from the moment the port is open. */
  const begin = () => {
    const isRefused = channel.beginPublish(publisher) !== undefined;
    link(!isRefused);
    return !isRefused;
  };
  const input = udp.inputs.open(source, {
    connected: () => events.connected(),
    received: (bytes) => (playout ? playout.write(bytes) : take(bytes)),
    // What comes in batches can't be evened out.
    hasReaders: () => playout !== undefined || channel.ts.ring.subscribers > 0,
    ended(cause) {
      playout?.close();
      end(cause.reason);
      events.ended(cause);
    },
  });
  let isLinkedNow = false;
  const link = (on: boolean) => {
    if (!isLinked || on === isLinkedNow) return;
    isLinkedNow = on;
    if (on) input.link(channel.id);
    else input.unlink();
  };
  // Before we know of the first packet it is at the outputs.
  link(true);
  const attempt: Attempt = {
    get bytes() {
      return input.bytes;
    },
    skipped: 0,
    close(reason) {
      playout?.close();
      end('switchedOff');
      input.close(reason);
    },
  };
  const publisher = tsPublisher(source.protocol, sink, {
    attempt: () => attempt,
    bufferMs: playout && (() => Math.round(playout.heldMs)),
    ...(isLinked && { linkedBy: 'udp' }),
    peer: () => input.peer,
    datagrams: () => input.datagrams,
    // The port stays open: the sender may come back any time.
    stalled: () => end('noData'),
  });
  return attempt;
}

function openSrt(srt: SrtDoor, channel: Channel, source: SrtEndpointAddress, events: AttemptEvents): Attempt {
  const sink = createTsSink(channel.ts, readSps, source.ts);
  const isLinked = canBeLinked(channel, source.ts);
  let peer = '';
  const giveUp = (end: LegEnd) => {
    attempt.close(end.text);
    events.ended(end);
  };
  const attempt = srt.calls.open({
    channelId: channel.id,
    direction: 'receive',
    address: source,
    events,
    onBytes(bytes) {
      sink.write(bytes);
      sink.flush();
      if (sink.isOutOfSync) giveUp(noSync);
    },
    onConnected(address) {
      peer = address;
      if (channel.beginPublish(publisher)) giveUp(occupied);
      else attempt.source.begin(channel.id, isLinked);
    },
    onOver: (reason) => channel.endPublish(publisher, reason),
  });
  const publisher = tsPublisher('srt', sink, {
    attempt: () => attempt,
    ...(isLinked && { linkedBy: 'srt' }),
    pace: attempt.source.pace,
    peer: () => peer,
    stalled: () => giveUp(stalled),
  });
  return attempt;
}
