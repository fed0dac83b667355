/** Raw frames in the pipes to FFmpeg and from FFmpeg. */
import { afterEach, expect, test } from 'bun:test';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RawVideo } from './matroska.ts';
import { MatroskaReader, type RawFrame } from './matroska-reader.ts';
import { beginBlock, streamHead } from './matroska-writer.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
function newFile(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'sb-raw-'));
  folders.push(folder);
  return join(folder, name);
}

const video: RawVideo = {
  ...{ width: 64, height: 36, fourCc: 'UYVY', aspect: 0 },
  rate: { numerator: 30_000, denominator: 1001 },
};
const audio = { sampleRate: 48_000, channels: 2 };
const picture = (luma: number) =>
  new Uint8Array(video.width * video.height * 2).map((_, at) => (at % 2 === 0 ? 128 : luma));
const sound = new Uint8Array(1602 * 2 * 4);
const frames = [
  { kind: 'video', time: 0, data: picture(50) },
  { kind: 'audio', time: 5, data: sound },
  { kind: 'video', time: 334, data: picture(200) },
] as const;

function written(): Uint8Array {
  const blocks = frames.flatMap(({ kind, time, data }) => [beginBlock(kind, time, data.length), data]);
  return Buffer.concat([streamHead(video, audio), ...blocks]);
}

async function ffmpeg(args: readonly string[], input: Uint8Array): Promise<Uint8Array> {
  const child = Bun.spawn(['ffmpeg', '-v', 'error', ...args], { stdin: input, stdout: 'pipe', stderr: 'pipe' });
  const [output, errors] = await Promise.all([new Response(child.stdout).bytes(), new Response(child.stderr).text()]);
  expect(errors).toBe('');
  return output;
}

test('FFmpeg reads formats, times and samples of raw frames', async () => {
  const input = ['-f', 'matroska', '-i', 'pipe:0'];
  const shown = await ffmpeg(
    [...input, '-map', '0', '-c', 'copy', '-f', 'framehash', '-hash', 'adler32', 'pipe:1'],
    written(),
  );
  const text = new TextDecoder().decode(shown);
  expect(text).toContain('#dimensions 0: 64x36');
  expect(text).toContain('#sample_rate 1: 48000');
  const rows = text.split('\n').filter((line) => /^\d/.test(line));
  const cells = rows.map((row) => row.split(',').map((cell) => cell.trim()));
  // Stream, time in 100 us, and size.
  expect(cells.map(([stream, , pts, , size]) => [stream, pts, size])).toEqual([
    ['0', '0', `${picture(0).length}`],
    ['1', '5', `${sound.length}`],
    ['0', '334', `${picture(0).length}`],
  ]);
  const gray = await ffmpeg([...input, '-map', '0:v', '-pix_fmt', 'gray', '-f', 'rawvideo', 'pipe:1'], written());
  expect(gray[0]).toBeLessThan(60);
  expect(gray.at(-1)).toBeGreaterThan(190);
});

test('raw frames of FFmpeg are read with their formats and times', async () => {
  const pictures = ['-f', 'lavfi', '-t', '0.4', '-i', 'color=gray:size=64x36:rate=25'];
  const tone = ['-f', 'lavfi', '-t', '0.4', '-i', 'sine=sample_rate=48000'];
  const coding = [
    '-c:v',
    'rawvideo',
    '-pix_fmt',
    'uyvy422',
    '-c:a',
    'pcm_f32le',
    '-live',
    '1',
    '-f',
    'matroska',
    'pipe:1',
  ];
  const path = newFile('frames.mkv');
  writeFileSync(path, await ffmpeg([...pictures, ...tone, ...coding], new Uint8Array()));
  const file = openSync(path, 'r');
  const reader = new MatroskaReader(file);
  const all: RawFrame[] = [];
  for (let frame = await reader.next(); frame; frame = await reader.next()) all.push(frame);
  closeSync(file);
  expect(reader.streams).toEqual({
    video: { width: 64, height: 36, frameNs: 40_000_000 },
    audio: { sampleRate: 48_000, channels: 1 },
  });
  const of = (kind: RawFrame['kind']) => all.filter((frame) => frame.kind === kind);
  expect(of('video').map(({ time }) => time)).toEqual(Array.from({ length: 10 }, (_, at) => at * 40));
  expect(of('video').every(({ data }) => data.length === 64 * 36 * 2)).toBe(true);
  expect(of('audio').reduce((sum, { data }) => sum + data.length, 0)).toBe(0.4 * 48_000 * 4);
});

test('other data is refused', async () => {
  const path = newFile('text');
  writeFileSync(path, new Uint8Array(100));
  const file = openSync(path, 'r');
  expect(new MatroskaReader(file).next()).rejects.toThrow('not a Matroska stream');
  closeSync(file);
});
