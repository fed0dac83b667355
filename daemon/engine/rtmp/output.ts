/** An RTMP push as an attempt of an output. */
import type { RtmpStream } from '../../sources/stream-address.ts';
import type { Channel } from '../channel/channel.ts';
import type { Attempt, AttemptEvents, Termination } from '../connection/connection.ts';
import { impossibleIn, termination } from '../connection/terminations.ts';
import type { EngineOutgoing } from '../net/outgoing.ts';
import { rtmpTermination } from './client-failure.ts';
import { RtmpPush } from './push.ts';

const impossible = impossibleIn('RTMP');
const stopped = termination('disconnected', 'closedByPeer', 'the push ended');
const lookEveryMs = 1000;

export function openRtmpOutput(
  outgoing: EngineOutgoing,
  target: RtmpStream,
  channel: Channel,
  events: AttemptEvents,
): Attempt {
  const finish = (end: Termination) => {
    clearInterval(timer);
    events.ended(end);
  };
  const push = new RtmpPush({
    ...{ url: target.url, key: target.key, outgoing, verifyCertificate: true, bus: channel.flv },
    ...(target.username && { username: target.username, password: target.password }),
    onStage: (stage) => {
      if (stage === 'stream') events.connected();
    },
    onEnd: (failure) => finish(failure ? rtmpTermination(failure) : stopped),
  });
  const timer = setInterval(() => {
    if (!channel.isImpossible('flv')) return;
    finish(impossible);
    void push.stop();
  }, lookEveryMs);
  push.start();
  return {
    get bytes() {
      return push.stats().bytesOut;
    },
    get skipped() {
      return push.stats().feed?.skippedUnits ?? 0;
    },
    get queueMs() {
      return push.stats().feed?.lagMs;
    },
    get lacks() {
      return channel.lackIn('flv');
    },
    close() {
      clearInterval(timer);
      void push.stop();
    },
  };
}
