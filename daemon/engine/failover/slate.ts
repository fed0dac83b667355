/** Shown when no input is good: color bars or an image, encoded once in the format of the stream that it replaces. */
import { createSemaphore } from '../../lib/semaphore.ts';
import type { SlateDesired } from '../../media/protocol/desired.ts';
import type { MediaStatus } from '../../media/protocol/reported.ts';
import { timing } from '../../timing.ts';
import { confinedFfmpeg, stopChild } from '../ffmpeg/process.ts';
import { createFlvBus, type FlvMessage, messageType } from '../flv/flv-bus.ts';
import { createTsBus } from '../mpegts/ts-bus.ts';
import { createTsSink } from '../mpegts/ts-sink.ts';
import { startTsToFlv } from '../remux/ts-to-flv-run.ts';
import { isPicture, isSound } from './splice.ts';

export type SlatePicture = Exclude<SlateDesired, { kind: 'none' }>;

export interface SlateLook {
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly codec: 'h264' | 'hevc';
  readonly sampleRate: number;
  readonly channels: number;
}

/** One group of pictures with its audio, which can be repeated. */
export interface SlateClip {
  readonly headers: readonly FlvMessage[];
  /** In order of time, from 0. */
  readonly messages: readonly FlvMessage[];
  readonly durationMs: number;
}

const seconds = 2;
const maxClipBytes = 8 << 20;
const common: SlateLook = { width: 1280, height: 720, fps: 25, codec: 'h264', sampleRate: 48_000, channels: 2 };

/** Returns the format of a stream that was received; unknown values default to the most common ones. */
export function slateLook(media: MediaStatus | undefined): SlateLook {
  const { video, audio } = media ?? {};
  return {
    width: even(video?.width ?? common.width),
    height: even(video?.height ?? common.height),
    fps: video?.fps && video.fps <= 120 ? video.fps : common.fps,
    codec: video?.codec === 'hevc' ? 'hevc' : 'h264',
    sampleRate: audio?.sampleRate ?? common.sampleRate,
    channels: Math.min(audio?.channels ?? common.channels, 2),
  };
}

const even = (size: number): number => Math.max(2, size & ~1);

/** Encoding the slate of a 4K stream takes up to 1 GB, so all channels together encode one at a time. */
const oneAtATime = createSemaphore({ atOnce: 1, longestLine: 1024 });

/** Rejects if FFmpeg fails. The signal cancels it. */
export const encodeSlate = (...slate: Parameters<typeof encode>) => oneAtATime(() => encode(...slate));

async function encode(ffmpeg: string, slate: SlatePicture, look: SlateLook, signal: AbortSignal): Promise<SlateClip> {
  signal.throwIfAborted();
  const rights = slate.kind === 'bars' ? {} : { read: [slate.path] };
  const child = Bun.spawn(confinedFfmpeg([ffmpeg, ...encodeArgs(slate, look)], rights), {
    ...{ stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' },
    env: { PATH: process.env.PATH ?? '' },
    timeout: timing.failover.slateMs,
    killSignal: 'SIGKILL',
  });
  const end = () => void stopChild(child);
  signal.addEventListener('abort', end, { once: true });
  try {
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of child.stdout) {
      bytes += part.length;
      if (bytes > maxClipBytes) throw new Error('the slate is too large');
      parts.push(part);
    }
    if ((await child.exited) !== 0) throw new Error('FFmpeg could not make the slate');
    return clipOf(Buffer.concat(parts), look.fps);
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

function encodeArgs(slate: SlatePicture, look: SlateLook): string[] {
  const { width, height, fps, codec, sampleRate, channels } = look;
  const size = `${width}:${height}`;
  const picture =
    slate.kind === 'bars'
      ? ['-f', 'lavfi', '-i', `smptehdbars=size=${width}x${height}:rate=${fps}`]
      : ['-threads', '1', '-f', 'image2', '-pattern_type', 'none', '-framerate', `${fps}`, '-i', slate.path];
  // Repeated after reading and scaling it once [a PNG of 4096 x 4096: 1.1 s instead of 30].
  const repeated = slate.kind === 'bars' ? '' : `,loop=loop=-1:size=1,setpts=N/(${fps}*TB)`;
  const encoder =
    codec === 'hevc'
      ? ['-c:v', 'libx265', '-x265-params', `bframes=0:keyint=${2 * seconds * fps}:scenecut=0:log-level=none`]
      : ['-c:v', 'libx264', '-bf', '0', '-sc_threshold', '0'];
  return [
    ...['-nostdin', '-v', 'quiet', '-protocol_whitelist', 'file,pipe', ...picture],
    ...['-f', 'lavfi', '-i', `anullsrc=r=${sampleRate}:cl=${channels === 1 ? 'mono' : 'stereo'}`, '-t', `${seconds}`],
    ...['-vf', `scale=${size}:force_original_aspect_ratio=decrease,pad=${size}:-1:-1,setsar=1${repeated}`],
    ...['-pix_fmt', 'yuv420p'],
    ...[...encoder, '-preset', 'veryfast', '-threads', '1', '-g', `${Math.ceil(2 * seconds * fps)}`],
    ...['-c:a', 'aac', '-b:a', '64k', '-f', 'mpegts', 'pipe:1'],
  ];
}

/** Converts it like any transport stream to FLV. */
function clipOf(bytes: Uint8Array, fps: number): SlateClip {
  const ts = createTsBus();
  const flv = createFlvBus();
  const cursor = flv.ring.subscribe(() => undefined);
  const run = startTsToFlv(ts, flv, () => undefined);
  const sink = createTsSink(ts);
  const all: FlvMessage[] = [];
  // In pieces, because the bus evicts what is not read in time.
  for (let at = 0; at < bytes.length; at += 64 << 10) {
    sink.write(bytes.subarray(at, at + (64 << 10)));
    sink.flush();
    for (let unit = cursor.take(); unit; unit = cursor.take()) all.push(...unit.messages);
  }
  const { video, audio } = flv.headers;
  run.close();
  cursor.close();
  for (const { ring } of [ts, flv]) ring.clear();
  const headers = [video, audio].flatMap((header) => (header ? [{ ...header, timestamp: 0 }] : []));
  const media = all.filter((message) => isPicture(message) || isSound(message));
  const first = media.find(({ type }) => type === messageType.video);
  if (!first || !video) throw new Error('the slate has no picture');
  const pictures = media.filter(({ type }) => type === messageType.video).length;
  const durationMs = Math.round((pictures * 1000) / fps);
  const messages = media
    .map((message) => ({ ...message, timestamp: Math.max(0, message.timestamp - first.timestamp) }))
    .filter(({ timestamp }) => timestamp < durationMs)
    .sort((a, b) => a.timestamp - b.timestamp);
  return { headers, messages, durationMs };
}

const stepMs = 20;

/** Plays a clip repeatedly at its own speed, until the returned function is called. */
export function playSlate(clip: SlateClip, emit: (messages: readonly FlvMessage[]) => void): () => void {
  const began = performance.now();
  let round = 0;
  let next = 0;
  const step = () => {
    const until = performance.now() - began;
    const due: FlvMessage[] = next === 0 && round === 0 ? [...clip.headers] : [];
    for (;;) {
      const message = clip.messages[next];
      if (!message || round * clip.durationMs + message.timestamp > until) break;
      due.push({ ...message, timestamp: round * clip.durationMs + message.timestamp });
      next++;
      if (next < clip.messages.length) continue;
      next = 0;
      round++;
    }
    if (due.length > 0) emit(due);
  };
  const timer = setInterval(step, stepMs);
  step();
  return () => clearInterval(timer);
}
