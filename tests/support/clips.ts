/**
 * Encodes test media once and keeps it in build/clips: live x264 encoding costs five times the CPU of a stream copy,
 * and a run has about 150 publishers on two cores.
 */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dir, '../../build/clips');
const framesPerSecond = 25;
const shortestSeconds = 8;
/** An audio-only clip loops with a seam: FFmpeg takes its last frame as one sample long. No test runs this long. */
const soundAloneSeconds = 60;
const samplesPerFrame = { aac: 1024, ac3: 1536, mp2: 1152, libmp3lame: 1152, libopus: 960 } as const;

export interface Pictures {
  readonly size: `${number}x${number}`;
  readonly kbps: number;
  readonly source?: 'testsrc' | 'testsrc2' | 'smptebars';
  readonly codec?: 'h264' | 'hevc';
  readonly groupSeconds?: number;
  /** Encoder arguments; the default is a live encoder without B-frames. */
  readonly encoder?: readonly string[];
}
export interface Sound {
  /** The name of an FFmpeg encoder. */
  readonly codec?: keyof typeof samplesPerFrame;
  readonly sampleRate?: number;
  readonly toneHz?: number;
  readonly kbps?: number;
}
export interface Recipe {
  readonly pictures?: Pictures;
  readonly sound?: Sound;
}

/** Returns the FFmpeg arguments that loop a clip seamlessly in real time and copy its streams. */
export function looped(recipe: Recipe): string[] {
  return ['-re', '-stream_loop', '-1', '-i', loopClip(recipe), '-map', '0', '-c', 'copy'];
}

/** Returns the file that `looped` plays. It is NUT, which preserves the time base of each stream. */
export function loopClip({ pictures, sound }: Recipe): string {
  const { codec = 'aac', sampleRate = 48_000, toneHz = 440, kbps = 128 } = sound ?? {};
  let frames = framesPerSecond * (pictures ? shortestSeconds : soundAloneSeconds);
  // Whole video and audio frames, so that the next loop starts exactly where this one ends.
  if (sound) while ((frames * sampleRate) % (framesPerSecond * samplesPerFrame[codec]) !== 0) frames++;
  const soundFrames = (frames * sampleRate) / (framesPerSecond * samplesPerFrame[codec]);
  const seconds = frames / framesPerSecond;
  return clip(
    [
      ...(pictures ? ['-t', `${seconds}`, ...pictureInput(pictures)] : []),
      ...(sound
        ? ['-t', `${seconds + 1}`, '-f', 'lavfi', '-i', `sine=frequency=${toneHz}:sample_rate=${sampleRate}`]
        : []),
      ...(pictures ? pictureCoding(pictures) : []),
      ...(sound ? ['-c:a', codec, '-b:a', `${kbps}k`, '-ac', '2'] : []),
      // Most audio encoders start before zero, which would overlap the end of the previous loop.
      ...(sound ? ['-bsf:a', `setts=ts=TS-STARTPTS,noise=drop=gte(n\\,${soundFrames})`] : []),
    ],
    'nut',
  );
}

/** Creates a file with these FFmpeg arguments unless it exists. Returns its path. `extension` sets the format. */
export function clip(args: readonly string[], extension: string): string {
  const hash = new Bun.CryptoHasher('sha256').update(JSON.stringify(args)).digest('hex').slice(0, 16);
  const file = join(folder, `${hash}.${extension}`);
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  // Several processes may encode it at once; the rename ensures that only complete files are visible.
  const unfinished = join(folder, `${hash}-${process.pid}.${extension}`);
  const made = Bun.spawnSync(['ffmpeg', '-nostdin', '-v', 'error', '-y', ...args, unfinished]);
  if (!made.success) {
    rmSync(unfinished, { force: true });
    throw new Error(`ffmpeg ${args.join(' ')}: ${made.stderr.toString()}`);
  }
  renameSync(unfinished, file);
  return file;
}

function pictureInput({ size, source = 'testsrc2' }: Pictures): string[] {
  return ['-f', 'lavfi', '-i', `${source}=size=${size}:rate=${framesPerSecond}`];
}

function pictureCoding({ kbps, codec = 'h264', groupSeconds = 1, encoder }: Pictures): string[] {
  const group = groupSeconds * framesPerSecond;
  const live = {
    h264: ['libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-sc_threshold', '0', '-g', `${group}`],
    hevc: ['libx265', '-preset', 'ultrafast', '-x265-params', `log-level=none:keyint=${group}:bframes=0:scenecut=0`],
  };
  return ['-c:v', ...(encoder ?? live[codec]), '-b:v', `${kbps}k`, '-pix_fmt', 'yuv420p'];
}
