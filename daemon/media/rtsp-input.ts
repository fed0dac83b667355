/** A stream fetched from an RTSP server, as an attempt of a fetched input. */
import { connectionStates } from '../contract/streams.ts';
import type { Channel } from './channel.ts';
import type { Publisher } from './channel-input.ts';
import { endOfFetch, hostOf } from './fetch-failure.ts';
import { noSync, occupied, stalled } from './input-ends.ts';
import type { Attempt, AttemptEvents, LegEnd } from './leg.ts';
import { createTsSink } from './mpegts/ts-sink.ts';
import type { LegReason, RtspPullAddress } from './protocol.ts';
import { readSps } from './read-sps.ts';
import { pullRtsp } from './rtsp/pull.ts';

/** What runs FFmpeg. */
export interface FfmpegTools {
  /** Undefined while FFmpeg can't be used. */
  readonly ffmpeg: () => string | undefined;
  readonly socketPath: (name: string) => string;
}

let pulls = 0;

export function openRtspInput(
  tools: FfmpegTools,
  source: RtspPullAddress,
  channel: Channel,
  events: AttemptEvents,
): Attempt {
  const sink = createTsSink(channel.ts, readSps);
  const aborter = new AbortController();
  let isOver = false;
  const over = (reason: LegReason) => {
    isOver = true;
    aborter.abort();
    channel.endPublish(publisher, reason);
  };
  const finish = (end: LegEnd) => {
    if (isOver) return;
    over(end.reason);
    events.ended(end);
  };
  const publisher: Publisher = {
    protocol: 'rtsp',
    shape: 'ts',
    peer: () => hostOf(source.url),
    bytes: () => sink.bytes,
    media: () => sink.media,
    continuityErrors: () => sink.continuityErrors,
    arrivals: () => sink.arrivals,
    srt: () => undefined,
    stalled: () => finish(stalled),
    close: () => attempt.close(),
  };
  const attempt = {
    get bytes() {
      return sink.bytes;
    },
    skipped: 0,
    close() {
      if (!isOver) over('switchedOff');
    },
  };
  const receive = (bytes: Uint8Array) => {
    if (isOver) return;
    if (channel.input.current !== publisher && channel.beginPublish(publisher)) {
      finish(occupied);
      return;
    }
    sink.write(bytes);
    sink.flush();
    if (sink.isOutOfSync) finish(noSync);
  };
  const ffmpeg = tools.ffmpeg();
  if (!ffmpeg) {
    // Not at once: the caller doesn't have the attempt yet.
    queueMicrotask(() => finish(ffmpegMissing));
    return attempt;
  }
  pullRtsp({
    ...source,
    ffmpeg,
    outputPath: tools.socketPath(`rtsp-${channel.id}-${++pulls}`),
    signal: aborter.signal,
    onConnected() {
      if (!isOver) events.connected();
    },
    onBytes: receive,
  }).catch((error) => finish(endOfFetch(error)));
  return attempt;
}

const ffmpegMissing: LegEnd = {
  conn: connectionStates.creationFailed,
  reason: 'partMissing',
  hopeless: false,
  text: 'FFmpeg is needed for RTSP, and is missing',
};
