/** A stream pulled from another RTMP server, as an attempt of a fetched input. */
import { connectionStates } from '../contract/streams.ts';
import type { RtmpPullAddress } from './addresses.ts';
import type { Channel } from './channel.ts';
import type { Publisher } from './channel-input.ts';
import { createFlvPlayout } from './flv/flv-playout.ts';
import { createFlvSink, type FlvBusSink, type FlvSink } from './flv/flv-sink.ts';
import { mediaStatus } from './flv/media-info.ts';
import { occupied, stalled } from './input-ends.ts';
import type { Attempt, AttemptEvents, LegEnd } from './leg.ts';
import type { EngineOutgoing } from './outgoing.ts';
import { RtmpPull } from './rtmp/pull.ts';
import { rtmpLegEnd } from './rtmp-leg-end.ts';
import type { LegReason } from './status.ts';

export function openRtmpInput(
  outgoing: EngineOutgoing,
  source: RtmpPullAddress,
  channel: Channel,
  events: AttemptEvents,
): Attempt {
  let sink: FlvBusSink | undefined;
  let isOver = false;
  const over = (reason: LegReason) => {
    isOver = true;
    playout?.close(reason);
    sink?.close(reason);
    channel.endPublish(publisher, reason);
  };
  const finish = (end: LegEnd) => {
    if (isOver) return;
    over(end.reason);
    pull.stop();
    events.ended(end);
  };
  const taken: FlvSink = {
    message(message) {
      if (isOver) return;
      sink ??= begin();
      sink?.message(message);
    },
    flush: () => sink?.flush(),
    close: (reason) => sink?.close(reason),
  };
  const playout = source.bufferMs ? createFlvPlayout(source.bufferMs, taken) : undefined;
  const publisher: Publisher = {
    protocol: 'rtmp',
    shape: 'flv',
    peer: () => new URL(source.url).host,
    bytes: () => sink?.counters.bytes ?? 0,
    media: () => sink && mediaStatus(sink.info),
    continuityErrors: () => undefined,
    arrivals: () => sink?.arrivals,
    srt: () => undefined,
    ...(playout && { bufferMs: () => Math.round(playout.heldMs) }),
    stalled: () => finish(stalled),
    close: () => attempt.close(),
  };
  /** The channel has a publisher from the first message on: an accepted `play` may wait for its stream. */
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
    sink: playout ?? taken,
    onStage: (stage) => {
      if (stage === 'stream' && !isOver) events.connected();
    },
    onEnd: (failure) => finish(failure ? rtmpLegEnd(failure) : stopped),
  });
  const attempt = {
    get bytes() {
      return sink?.counters.bytes ?? 0;
    },
    skipped: 0,
    close() {
      if (isOver) return;
      over('switchedOff');
      pull.stop();
    },
  };
  pull.start();
  return attempt;
}

const stopped: LegEnd = {
  conn: connectionStates.disconnected,
  reason: 'closedByPeer',
  hopeless: false,
  text: 'the pull ended',
};
