/** Implements `Attempt` for TS input over UDP. */
import type { UdpStream } from '../../sources/stream-address.ts';
import type { Channel } from '../channel/channel.ts';
import { tsPublisher } from '../channel/publisher.ts';
import type { Attempt, AttemptEvents } from '../connection/connection.ts';
import { createTsJitterBuffer } from '../mpegts/ts-jitter-buffer.ts';
import { createTsSink } from '../mpegts/ts-sink.ts';
import type { UdpInputs } from './receiver.ts';

export function openUdpInput(
  inputs: Pick<UdpInputs, 'open'>,
  source: UdpStream,
  channel: Channel,
  events: AttemptEvents,
): Attempt {
  const sink = createTsSink(channel.ts, source.ts);
  const take = (bytes: Uint8Array) => {
    if (channel.input.current !== publisher && !begin()) return;
    sink.write(bytes);
    sink.flush();
  };
  const jitterBuffer = source.bufferMs ? createTsJitterBuffer({ delayMs: source.bufferMs, emit: take }) : undefined;
  // The endpoint can neither filter nor delay the stream.
  const isLinked = source.ts === undefined && jitterBuffer === undefined;
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
  const publisher = tsPublisher(sink, {
    protocol: source.protocol,
    bufferMs: jitterBuffer && (() => Math.round(jitterBuffer.heldMs)),
    linkedBy: isLinked ? 'udp' : undefined,
    peer: () => input.peer,
    datagrams: () => input.datagrams,
    // The port stays open: the sender may return at any time.
    stalled: () => channel.endPublish(publisher, 'noData'),
    close: (reason) => input.close(reason),
  });
  const input = inputs.open(source, {
    ...events,
    received: (bytes) => (jitterBuffer ? jitterBuffer.write(bytes) : take(bytes)),
    // Batched delivery would defeat the jitter buffer.
    hasReaders: () => jitterBuffer !== undefined || channel.ts.ring.subscribers > 0,
    over(reason) {
      jitterBuffer?.close();
      channel.endPublish(publisher, reason);
    },
  });
  // Link early: the first packet reaches the outputs before it arrives here.
  link(true);
  return input;
}
