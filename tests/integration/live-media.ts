/** Real encoders and players for the integration tests: FFmpeg publishes and records, ffprobe inspects the result. */
import { existsSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { looped, type Recipe } from '../support/clips.ts';
import { addLog, until } from '../support/until.ts';

const children = new Set<Bun.Subprocess>();
/** Keeps the log of a process after it exits, because an early exit is often the reason for missing media. */
const forgets: (() => void)[] = [];

/** Ends all processes that a test left running. */
export async function killAll(): Promise<void> {
  for (const forget of forgets.splice(0)) forget();
  const running = [...children];
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(running.map((child) => child.exited));
}

export interface Running {
  readonly child: Bun.Subprocess<'ignore', 'ignore', 'pipe'>;
  /** Its output so far. */
  readonly stderr: () => string;
  readonly exited: Promise<number>;
  /** Interrupts it as a user would, and waits. */
  stop(): Promise<void>;
}

export function run(command: string[]): Running {
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' });
  children.add(child);
  let text = '';
  const forgetLog = addLog(
    command.join(' '),
    () => `${text}${child.exitCode === null ? '' : `\nit ended with ${child.exitCode}`}`,
  );
  forgets.push(forgetLog);
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of child.stderr) text = (text + decoder.decode(bytes, { stream: true })).slice(-20_000);
  })();
  const exited = child.exited.then(async (code) => {
    children.delete(child);
    await reading;
    return code;
  });
  return {
    child,
    stderr: () => text,
    exited,
    async stop() {
      forgetLog();
      child.kill('SIGINT');
      const timer = setTimeout(() => child.kill('SIGKILL'), 3000);
      await exited;
      clearTimeout(timer);
    },
  };
}

export const picture = { width: 640, height: 360, rate: 25, codec: 'h264' } as const;

const pictures = { size: `${picture.width}x${picture.height}`, kbps: 1500 } as const;
export const source: Recipe = { pictures, sound: {} };
/** The same picture in HEVC. */
export const hevcSource: Recipe = { pictures: { ...pictures, codec: 'hevc' }, sound: {} };

/**
 * Publishes a moving test picture with sound to `url`: a clip, or media that FFmpeg creates from `input`. `through`: a
 * command that runs FFmpeg elsewhere, such as in another network namespace.
 */
export function publish(
  url: string,
  input: Recipe | readonly string[] = source,
  through: readonly string[] = [],
): Running {
  const scheme = /^\w+/.exec(url)?.[0];
  const format = scheme === 'rtmp' ? 'flv' : scheme === 'rtp' ? 'rtp_mpegts' : 'mpegts';
  const media = 'length' in input ? input : looped(input);
  const command = ['ffmpeg', '-nostdin', '-hide_banner', '-loglevel', 'warning', ...media, '-f', format, url];
  return run([...through, ...command]);
}

/** Matroska supports only one configuration per codec. */
const containers: Readonly<Record<string, string>> = { flv: 'flv', ts: 'mpegts', mkv: 'matroska' };

/** A player that writes the stream without decoding. Live inputs never end by themselves. */
export function record(url: string, file: string, seconds?: number, through: readonly string[] = []): Running {
  const input = url.startsWith('udp')
    ? `${url}${url.includes('?') ? '&' : '?'}fifo_size=200000&overrun_nonfatal=1&timeout=20000000`
    : url;
  const transport = url.startsWith('rtsp') ? ['-rtsp_transport', 'tcp'] : [];
  return run([
    ...[...through, 'ffmpeg', '-nostdin', '-hide_banner', '-loglevel', 'warning', '-probesize', '2000000'],
    ...['-analyzeduration', '2000000', ...transport, '-i', input, ...(seconds ? ['-t', String(seconds)] : [])],
    ...['-map', '0:v:0', '-map', '0:a:0', '-c', 'copy', '-f', containers[extname(file).slice(1)] ?? ''],
    ...['-flush_packets', '1', '-y', file],
  ]);
}

export interface Packet {
  readonly stream: number;
  readonly pts: number;
  readonly dts: number;
}
export interface Recording {
  readonly videoCodec: string;
  readonly audioCodec: string;
  readonly width: number;
  readonly height: number;
  /** Longest time between consecutive video frames and audio frames, in seconds. */
  readonly longestGap: { readonly video: number; readonly audio: number };
  readonly duration: number;
  readonly goesBack: boolean;
  readonly pictures: number;
}

/** The contents of a file according to ffprobe. */
export async function inspect(file: string): Promise<Recording> {
  const child = Bun.spawn(
    [
      'ffprobe',
      '-v',
      'error',
      '-of',
      'json',
      '-show_streams',
      '-show_entries',
      'packet=stream_index,pts_time,dts_time',
      file,
    ],
    { stdout: 'pipe', stderr: 'inherit' },
  );
  interface Probe {
    streams: { index: number; codec_type: string; codec_name: string; width?: number; height?: number }[];
    packets: { stream_index: number; pts_time?: string; dts_time?: string }[];
  }
  const probe = (await new Response(child.stdout).json()) as Probe;
  const video = probe.streams.find((stream) => stream.codec_type === 'video');
  const audio = probe.streams.find((stream) => stream.codec_type === 'audio');
  const times = (index: number | undefined) =>
    probe.packets
      .filter((packet) => packet.stream_index === index)
      .map((packet) => Number(packet.dts_time ?? packet.pts_time))
      .filter((time) => Number.isFinite(time));
  const [videoTimes, audioTimes] = [times(video?.index), times(audio?.index)];
  const steps = (list: number[]) => list.slice(1).map((time, i) => time - (list[i] ?? 0));
  const all = [...steps(videoTimes), ...steps(audioTimes)];
  return {
    videoCodec: video?.codec_name ?? '',
    audioCodec: audio?.codec_name ?? '',
    width: video?.width ?? 0,
    height: video?.height ?? 0,
    longestGap: { video: Math.max(0, ...steps(videoTimes)), audio: Math.max(0, ...steps(audioTimes)) },
    duration: (videoTimes.at(-1) ?? 0) - (videoTimes[0] ?? 0),
    goesBack: all.some((step) => step < 0),
    pictures: videoTimes.length,
  };
}

/** Frames that decode, and ffprobe's errors. */
export async function countFrames(file: string): Promise<{ readonly frames: number; readonly errors: string }> {
  const shown = ['-select_streams', 'v:0', '-show_entries', 'stream=nb_read_frames', '-of', 'csv=p=0'];
  const child = Bun.spawn(['ffprobe', '-v', 'error', '-count_frames', ...shown, file], {
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [text, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { frames: Number.parseInt(text, 10), errors };
}

/** Waits until the file has this many bytes. */
export async function untilRecorded(file: string, bytes: number, withinMs: number): Promise<void> {
  await until(() => existsSync(file) && statSync(file).size >= bytes, withinMs, `${file} holds ${bytes} bytes`);
}

export function fileIn(folder: string, name: string): string {
  return join(folder, name);
}
