/** A stream pulled from another RTMP server, as an attempt of a pulled input. */
import type { RtmpStream } from '../../sources/stream-address.ts';
import type { Channel } from '../channel/channel.ts';
import { flvPublisher } from '../channel/publisher.ts';
import { createPulledInput } from '../channel/pulled-input.ts';
import type { Attempt, AttemptEvents } from '../connection/connection.ts';
import { termination } from '../connection/terminations.ts';
import { createFlvJitterBuffer } from '../flv/flv-jitter-buffer.ts';
import { createFlvSink, type FlvBusSink, type FlvSink } from '../flv/flv-sink.ts';
import type { EngineOutgoing } from '../net/outgoing.ts';
import { rtmpTermination } from './client-failure.ts';
import { RtmpPull } from './pull.ts';

export function openRtmpInput(
  outgoing: EngineOutgoing,
  source: RtmpStream,
  channel: Channel,
  events: AttemptEvents,
): Attempt {
  let sink: FlvBusSink | undefined;
  const taken: FlvSink = {
    message(message) {
      // Not earlier: an accepted `play` may still be waiting for its stream.
      if (!sink && input.begin()) sink = createFlvSink(channel.flv);
      sink?.message(message);
    },
    flush: () => sink?.flush(),
    close: (reason) => sink?.close(reason),
  };
  const jitterBuffer = source.bufferMs ? createFlvJitterBuffer(source.bufferMs, taken) : undefined;
  const input = createPulledInput(channel, events, ({ stalled, close }) =>
    flvPublisher(() => sink, {
      ...{ protocol: 'rtmp', peer: () => new URL(source.url).host, stalled, close },
      bufferMs: jitterBuffer && (() => Math.round(jitterBuffer.heldMs)),
    }),
  );
  const pull = new RtmpPull({
    ...{ url: source.url, key: source.key, outgoing, verifyCertificate: true, sink: jitterBuffer ?? taken },
    ...(source.username && { username: source.username, password: source.password }),
    onStage: (stage) => {
      if (stage === 'stream') input.connected();
    },
    onEnd: (failure) => input.finish(failure ? rtmpTermination(failure) : stopped),
  });
  input.signal.addEventListener('abort', () => {
    (jitterBuffer ?? taken).close(String(input.signal.reason));
    pull.stop();
  });
  pull.start();
  return input.attempt;
}

const stopped = termination('disconnected', 'closedByPeer', 'the pull ended');
