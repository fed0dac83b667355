/** A stream pulled from another RTMP server, as an attempt of a pulled input. */
import { connectionStates } from '../../contract/streams.ts';
import type { ConnectionReason } from '../../media/protocol/reported.ts';
import type { RtmpStream } from '../../sources/stream-address.ts';
import type { Channel } from '../channel/channel.ts';
import { occupied, stalled } from '../channel/input-ends.ts';
import { flvPublisher } from '../channel/publisher.ts';
import type { Attempt, AttemptEvents, Termination } from '../connection/connection.ts';
import { createFlvJitterBuffer } from '../flv/flv-jitter-buffer.ts';
import { createFlvSink, type FlvBusSink, type FlvSink } from '../flv/flv-sink.ts';
import type { EngineOutgoing } from '../net/outgoing.ts';
import { RtmpPull } from './pull.ts';
import { rtmpTermination } from './termination.ts';

export function openRtmpInput(
  outgoing: EngineOutgoing,
  source: RtmpStream,
  channel: Channel,
  events: AttemptEvents,
): Attempt {
  let sink: FlvBusSink | undefined;
  let isOver = false;
  const over = (reason: ConnectionReason) => {
    isOver = true;
    jitterBuffer?.close(reason);
    sink?.close(reason);
    channel.endPublish(publisher, reason);
  };
  const finish = (end: Termination) => {
    over(end.reason);
    pull.stop();
    events.ended(end);
  };
  const taken: FlvSink = {
    message(message) {
      // A batch may hold messages after the one that ended the attempt.
      if (isOver) return;
      sink ??= begin();
      sink?.message(message);
    },
    flush: () => sink?.flush(),
    close: (reason) => sink?.close(reason),
  };
  const jitterBuffer = source.bufferMs ? createFlvJitterBuffer(source.bufferMs, taken) : undefined;
  const publisher = flvPublisher(() => sink, {
    protocol: 'rtmp',
    peer: () => new URL(source.url).host,
    bufferMs: jitterBuffer && (() => Math.round(jitterBuffer.heldMs)),
    stalled: () => finish(stalled),
    close: () => attempt.close(),
  });
  /** The channel has a publisher from the first message on: an accepted `play` may still be waiting for its stream. */
  const begin = (): FlvBusSink | undefined => {
    if (channel.beginPublish(publisher)) {
      finish(occupied);
      return undefined;
    }
    return createFlvSink(channel.flv);
  };
  const pull = new RtmpPull({
    url: source.url,
    key: source.key,
    outgoing,
    ...(source.username && { username: source.username, password: source.password }),
    verifyCertificate: true,
    sink: jitterBuffer ?? taken,
    onStage: (stage) => {
      if (stage === 'stream') events.connected();
    },
    onEnd: (failure) => finish(failure ? rtmpTermination(failure) : stopped),
  });
  const attempt = {
    get bytes() {
      return sink?.counters.bytes ?? 0;
    },
    skipped: 0,
    close() {
      over('switchedOff');
      pull.stop();
    },
  };
  pull.start();
  return attempt;
}

const stopped: Termination = {
  conn: connectionStates.disconnected,
  reason: 'closedByPeer',
  permanent: false,
  text: 'the pull ended',
};
