/** Real clips made by real encoders, our remuxer's output for them, and how FFmpeg reads the result. */
import { copyFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { clip } from '../../../tests/support/clips.ts';
import { FlvFileReader, flvFileHeader, flvTags } from '../flv/file-for-test.ts';
import { createFlvBus } from '../flv/flv-bus.ts';
import { createFlvSink } from '../flv/flv-sink.ts';
import { createTsBus } from '../mpegts/ts-bus.ts';
import { createTsSink } from '../mpegts/ts-sink.ts';
import { withHeaders } from '../rtmp/wire.ts';
import type { CodecSupport } from './codec-support.ts';
import { startFlvToTs } from './flv-to-ts-run.ts';
import { TsMuxer } from './ts-muxer.ts';
import { startTsToFlv } from './ts-to-flv-run.ts';

const roomy = { lagMs: 1e9, lagBytes: 1e9, ownBytes: 1e9, maxBytes: 1e9, maxMs: 1e9 };

export async function run(command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [text, complaint, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command.join(' ')}: ${complaint}`);
  return text;
}

export const ffmpeg = (...args: string[]) => run(['ffmpeg', '-nostdin', '-y', '-loglevel', 'error', ...args]);

/** Two seconds of moving video and of audio. */
export function makeClip(file: string, picture: string, sound: string, codecs: string): void {
  const sources = [
    ...(picture ? ['-f', 'lavfi', '-i', `testsrc2=${picture}:duration=2`] : []),
    ...(sound ? ['-f', 'lavfi', '-i', `sine=frequency=500:duration=2:${sound}`] : []),
  ];
  const args = [...sources, ...codecs.split(' ').filter((arg) => arg !== '')];
  copyFileSync(clip(args, extname(file).slice(1)), file);
}

export interface Rewrapped {
  readonly bytes: Buffer;
  readonly supports: readonly CodecSupport[];
}

/** `cuts`: sizes of the pieces in which the bytes arrive, used in turn. */
export function toFlv(clip: Uint8Array, cuts: readonly number[] = [1316]): Rewrapped {
  const from = createTsBus(roomy);
  const to = createFlvBus(roomy);
  const sink = createTsSink(from);
  const supports: CodecSupport[] = [];
  const remux = startTsToFlv(from, to, (support) => supports.push(support));
  const parts: Uint8Array[] = [];
  const cursor = to.ring.subscribe(() => {
    for (let unit = cursor.take(); unit; unit = cursor.take()) {
      parts.push(flvTags((cursor.jumped ? withHeaders(unit, to.headers) : unit).messages));
    }
  });
  for (let at = 0, piece = 0; at < clip.length; piece++) {
    const size = cuts[piece % cuts.length] ?? 1316;
    sink.write(clip.subarray(at, at + size));
    sink.flush();
    at += size;
  }
  remux.close();
  const { video, audio } = to.headers;
  const head = flvFileHeader({ video: video !== undefined, audio: audio !== undefined });
  return { bytes: Buffer.concat([head, ...parts]), supports };
}

export function toTs(clip: Uint8Array): Rewrapped {
  const from = createFlvBus(roomy);
  const to = createTsBus(roomy);
  const sink = createFlvSink(from);
  const supports: CodecSupport[] = [];
  const remux = startFlvToTs(from, to, new TsMuxer(), (support) => supports.push(support));
  const parts: Uint8Array[] = [];
  const cursor = to.ring.subscribe(() => {
    for (let unit = cursor.take(); unit; unit = cursor.take()) {
      if (cursor.jumped) parts.push(to.tables);
      parts.push(unit.data);
    }
  });
  const reader = new FlvFileReader((message) => {
    sink.message(message);
    sink.flush();
  });
  reader.feed(clip);
  remux.close();
  return { bytes: Buffer.concat(parts), supports };
}

export interface Frame {
  readonly dts: number;
  readonly pts: number;
  readonly hash: string;
}
export interface Frames {
  readonly video: readonly Frame[];
  readonly audio: readonly Frame[];
}

/** Parameter sets, delimiters and filler: data that has a different place in the other container. */
const containerUnits = { h264: '7|8|9|12', hevc: '32|33|34|35|38', none: '' } as const;

/** Every packet as FFmpeg reads it, without container-specific data. Times in milliseconds. */
export async function framesOf(file: string, codec: keyof typeof containerUnits): Promise<Frames> {
  const filter = codec === 'none' ? [] : ['-bsf:v', `filter_units=remove_types=${containerUnits[codec]}`];
  const list = await ffmpeg('-copyts', '-i', file, '-c', 'copy', ...filter, '-f', 'framehash', '-hash', 'md5', '-');
  const bases = new Map<number, number>();
  const kinds = new Map<number, string>();
  const frames = { video: [] as Frame[], audio: [] as Frame[] };
  for (const line of list.split('\n')) {
    const base = /^#tb (\d+): (\d+)\/(\d+)/.exec(line);
    if (base) bases.set(Number(base[1]), (1000 * Number(base[2])) / Number(base[3]));
    const kind = /^#media_type (\d+): (\w+)/.exec(line);
    if (kind) kinds.set(Number(kind[1]), kind[2] ?? '');
    const packet = /^(\d+),\s*(-?\d+),\s*(-?\d+),\s*\d+,\s*\d+,\s*(\w+)/.exec(line);
    if (!packet) continue;
    const [, stream, dts, pts, hash = ''] = packet;
    const scale = bases.get(Number(stream)) ?? Number.NaN;
    const list = kinds.get(Number(stream)) === 'video' ? frames.video : frames.audio;
    list.push({ dts: Number(dts) * scale, pts: Number(pts) * scale, hash });
  }
  return frames;
}

/** The errors that a decoder reports. */
export async function complaints(file: string): Promise<string> {
  const command = ['ffmpeg', '-nostdin', '-v', 'warning', '-i', file, '-f', 'null', '-'];
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' });
  const text = await new Response(child.stderr).text();
  await child.exited;
  return text;
}

export const inFolder = (folder: string) => (name: string) => join(folder, name);
