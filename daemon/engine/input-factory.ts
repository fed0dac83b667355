/** Opens a pulled input by its protocol, and registers it as the channel's publisher. */

import type { ConnectionReason } from '../media/protocol/reported.ts';
import type { SrtStream, UdpStream } from '../sources/stream-address.ts';
import type { Adapters } from './adapters.ts';
import type { Channel } from './channel/channel.ts';
import type { InputAttempt, OpenInput } from './channel/input.ts';
import { noSync, occupied, stalled } from './channel/input-ends.ts';
import { tsPublisher } from './channel/publisher.ts';
import type { Attempt, AttemptEvents, Termination } from './connection/connection.ts';
import { openFailover } from './failover/failover.ts';
import { openHttpInput } from './http-pull/input.ts';
import { createTsJitterBuffer } from './mpegts/ts-jitter-buffer.ts';
import { createTsSink } from './mpegts/ts-sink.ts';
import { openNdiInput } from './ndi/input.ts';
import { openRtmpInput } from './rtmp/input.ts';
import { openRtspInput } from './rtsp/input.ts';
import { openSharedInput } from './shared-input.ts';
import type { SrtAdapter } from './srt/adapter.ts';
import { canBeLinked } from './srt/source.ts';
import type { UdpAdapter } from './udp/adapter.ts';

export function openInput(
  adapters: Adapters,
  channel: Channel,
  ...[source, events]: Parameters<OpenInput>
): InputAttempt {
  switch (source.protocol) {
    case 'udp':
    case 'rtp':
      return openUdp(adapters.udp, channel, source, events);
    case 'srt':
      if (source.mode === 'listener') {
        return adapters.srt.listeners.open({ channelId: channel.id, address: source, events });
      }
      return openSrt(adapters.srt, channel, source, events);
    case 'rtmp':
      return openRtmpInput(adapters.outgoing, source, channel, events);
    case 'rtsp':
      return openRtspInput(adapters.outgoing, source, channel, events);
    case 'http':
      return openHttpInput(adapters.outgoing, source, channel, events);
    case 'ndi':
      return openNdiInput(adapters.ndi, source, channel, events);
    case 'shared':
      return openSharedInput(() => adapters.sourceChannel(source.sourceChannel), channel, events);
    case 'failover':
      return openFailover({
        ...{ channel, events, rule: source.rule, tools: adapters.tools },
        find: { main: () => adapters.sourceChannel(source.main), backup: () => adapters.sourceChannel(source.backup) },
      });
  }
}

function openUdp(udp: UdpAdapter, channel: Channel, source: UdpStream, events: AttemptEvents): Attempt {
  const sink = createTsSink(channel.ts, source.ts);
  const take = (bytes: Uint8Array) => {
    if (channel.input.current !== publisher && !begin()) return;
    sink.write(bytes);
    sink.flush();
  };
  const jitterBuffer = source.bufferMs ? createTsJitterBuffer({ delayMs: source.bufferMs, emit: take }) : undefined;
  // The endpoint passes the whole stream, and without delay.
  const isLinked = source.ts === undefined && jitterBuffer === undefined;
  const end = (reason: ConnectionReason) => channel.endPublish(publisher, reason);
  /** The channel has a publisher from the first packet on, not from the moment the port opens. */
  const begin = () => {
    const isRefused = channel.beginPublish(publisher) !== undefined;
    link(!isRefused);
    return !isRefused;
  };
  let isLinkedNow = false;
  const link = (on: boolean) => {
    if (!isLinked || on === isLinkedNow) return;
    isLinkedNow = on;
    if (on) input.link(channel.id);
    else input.unlink();
  };
  const attempt: Attempt = {
    get bytes() {
      return input.bytes;
    },
    skipped: 0,
    close(reason) {
      jitterBuffer?.close();
      end('switchedOff');
      input.close(reason);
    },
  };
  const publisher = tsPublisher(sink, {
    protocol: source.protocol,
    bufferMs: jitterBuffer && (() => Math.round(jitterBuffer.heldMs)),
    linkedBy: isLinked ? 'udp' : undefined,
    peer: () => input.peer,
    datagrams: () => input.datagrams,
    // The port stays open: the sender may return at any time.
    stalled: () => end('noData'),
    close: (reason) => attempt.close(reason),
  });
  const input = udp.inputs.open(source, {
    connected: () => events.connected(),
    received: (bytes) => (jitterBuffer ? jitterBuffer.write(bytes) : take(bytes)),
    // A jitter buffer cannot smooth what arrives in batches.
    hasReaders: () => jitterBuffer !== undefined || channel.ts.ring.subscribers > 0,
    ended(cause) {
      jitterBuffer?.close();
      end(cause.reason);
      events.ended(cause);
    },
  });
  // Linked early: the first packet is at the outputs before it arrives here.
  link(true);
  return attempt;
}

function openSrt(srt: SrtAdapter, channel: Channel, source: SrtStream, events: AttemptEvents): Attempt {
  const sink = createTsSink(channel.ts, source.ts);
  const isLinked = canBeLinked(channel, source.ts);
  let peer = '';
  const giveUp = (end: Termination) => {
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
  const publisher = tsPublisher(sink, {
    protocol: 'srt',
    linkedBy: isLinked ? 'srt' : undefined,
    pace: attempt.source.pace,
    peer: () => peer,
    srt: () => attempt.srt,
    stalled: () => giveUp(stalled),
    close: (reason) => attempt.close(reason),
  });
  return attempt;
}
