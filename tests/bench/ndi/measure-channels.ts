/**
 * What FFmpeg costs for NDI inputs and outputs of channels: `bun tests/bench/ndi/measure-channels.ts` prints its CPU
 * time per second of video, in cores, for the table in docs/ndi.md, without the CPU time of the NDI runtime.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decoderCommand, encoderCommand, type SourceFormat } from '../../../daemon/engine/ndi/codec.ts';
import { beginBlock, streamHead } from '../../../daemon/ndi/media/matroska-writer.ts';
import { makeTempFolder, removeTempFolder } from '../temp-folder.ts';

const formats: readonly SourceFormat[] = [
  { width: 1280, height: 720, framesPerSecond: 30 },
  { width: 1920, height: 1080, framesPerSecond: 30 },
];
const pictures = 60;

/** Returns the CPU time of FFmpeg in seconds. */
async function run(command: readonly string[], input: string, output: string): Promise<number> {
  const child = Bun.spawn([...command], { stdin: Bun.file(input), stdout: Bun.file(output), stderr: 'inherit' });
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed`);
  return Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6;
}

/** Writes raw frames as a process that receives a source does: a picture that moves, with the noise of a camera. */
async function writeFrames(path: string, { width, height, framesPerSecond }: SourceFormat): Promise<void> {
  const source = `testsrc2=size=${width}x${height}:rate=${framesPerSecond},noise=alls=6:allf=t`;
  const raw = ['-frames:v', `${pictures}`, '-pix_fmt', 'uyvy422', '-f', 'rawvideo', '-y', `${path}.raw`];
  await run(['ffmpeg', '-v', 'error', '-f', 'lavfi', '-i', source, ...raw], '/dev/null', '/dev/null');
  const all = readFileSync(`${path}.raw`);
  const bytes = width * height * 2;
  const rate = { numerator: framesPerSecond, denominator: 1 };
  const parts: Uint8Array[] = [streamHead({ width, height, fourCc: 'UYVY', rate, aspect: 0 }, undefined)];
  for (let at = 0; at < pictures; at++) {
    const time = Math.round((at * 10_000) / framesPerSecond);
    parts.push(beginBlock('video', time, bytes), all.subarray(at * bytes, (at + 1) * bytes));
  }
  writeFileSync(path, Buffer.concat(parts));
}

const folder = makeTempFolder('ndi-channels');
try {
  const [frames, stream] = [join(folder, 'frames.mkv'), join(folder, 'stream.ts')];
  for (const format of formats) {
    await writeFrames(frames, format);
    const seconds = pictures / format.framesPerSecond;
    const encoding = (await run(encoderCommand('ffmpeg', format), frames, stream)) / seconds;
    const decoding = (await run(decoderCommand('ffmpeg'), stream, '/dev/null')) / seconds;
    const name = `${format.height}p${format.framesPerSecond}`;
    process.stdout.write(`${name}: input ${encoding.toFixed(2)}, output ${decoding.toFixed(2)} cores\n`);
  }
} finally {
  removeTempFolder(folder);
}
