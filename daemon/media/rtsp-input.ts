/** A stream fetched from an RTSP server, as an attempt of a fetched input. */
import { connectionStates } from '../contract/streams.ts';
import type { RtspPullAddress } from './addresses.ts';
import type { Channel } from './channel.ts';
import { endOfFetch, hostOf } from './fetch-failure.ts';
import { createFetchedInput } from './fetched-input.ts';
import { stalled } from './input-ends.ts';
import type { Attempt, AttemptEvents, LegEnd } from './leg.ts';
import type { EngineOutgoing } from './outgoing.ts';
import { pullRtsp } from './rtsp/pull.ts';
import type { DatagramReport } from './status.ts';

/** What runs FFmpeg. */
export interface FfmpegTools {
  /** Undefined while FFmpeg can't be used. */
  readonly ffmpeg: () => string | undefined;
  readonly socketPath: (name: string) => string;
}

let pulls = 0;

export function openRtspInput(
  { tools, outgoing }: { readonly tools: FfmpegTools; readonly outgoing: EngineOutgoing },
  source: RtspPullAddress,
  channel: Channel,
  events: AttemptEvents,
): Attempt {
  let packets: () => DatagramReport | undefined = () => undefined;
  const input = createFetchedInput({
    ...{ protocol: 'rtsp', peer: hostOf(source.url), channel, events },
    datagrams: () => packets(),
    stalled: () => input.finish(stalled),
  });
  const ffmpeg = tools.ffmpeg();
  if (!ffmpeg) {
    // Not at once: the caller doesn't have the attempt yet.
    queueMicrotask(() => input.finish(ffmpegMissing));
    return input.attempt;
  }
  pullRtsp({
    ...source,
    outgoing,
    ffmpeg,
    outputPath: tools.socketPath(`rtsp-${channel.id}-${++pulls}`),
    signal: input.signal,
    onConnected(report) {
      packets = report;
      input.connected();
    },
    onBytes: input.receive,
  }).catch((error) => input.finish(endOfFetch(error)));
  return input.attempt;
}

const ffmpegMissing: LegEnd = {
  conn: connectionStates.creationFailed,
  reason: 'partMissing',
  hopeless: false,
  text: 'FFmpeg is needed for RTSP, and is missing',
};
