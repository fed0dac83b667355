/** When the picture flashes and when the tone begins, in a recording of `tests/sim/ndi/clapper.ts`. */
import { clap } from '../sim/ndi/clapper.ts';

export interface Claps {
  /** Brightness of the pictures between the flashes. */
  readonly plain: { readonly darkest: number; readonly brightest: number };
  /** Numbers of the lines of the last such picture that are not dark on the left and bright on the right. */
  readonly slanted: readonly number[];
  /** Seconds; those at the very beginning are left out. */
  readonly flashes: readonly number[];
  readonly tones: readonly number[];
}

export async function claps(file: string): Promise<Claps> {
  const child = Bun.spawn(
    [
      ...['ffmpeg', '-nostdin', '-hide_banner', '-i', file],
      ...['-vf', 'signalstats,metadata=print:file=-', '-af', 'silencedetect=noise=-30dB:d=0.2', '-f', 'null', '-'],
    ],
    { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
  );
  const [pictures, messages, slanted] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    slantedLines(file),
  ]);
  const frames = pictures
    .split(/^frame:/m)
    .slice(1)
    .map(frameOf);
  const isFlash = (average: number) => average > (clap.bright + clap.flash) / 2;
  const starts = frames.filter(
    ({ average }, at) => at > 0 && isFlash(average) && !isFlash(frames[at - 1]?.average ?? 0),
  );
  const plain = frames.find(({ average }) => !isFlash(average));
  const ends = [...messages.matchAll(/silence_end: ([\d.]+)/g)].map(([, time]) => Number(time));
  return {
    plain: { darkest: plain?.darkest ?? 0, brightest: plain?.brightest ?? 0 },
    slanted,
    flashes: starts.map(({ time }) => time),
    tones: ends,
  };
}

async function slantedLines(file: string): Promise<number[]> {
  const { width, height } = clap;
  const output = ['-frames:v', `${clap.framesPerSecond}`, '-f', 'rawvideo', '-pix_fmt', 'gray', '-'];
  const child = Bun.spawn(['ffmpeg', '-nostdin', '-v', 'error', '-i', file, ...output], { stdout: 'pipe' });
  const frames = new Uint8Array(await new Response(child.stdout).arrayBuffer());
  const [middle, bytes] = [(clap.dark + clap.bright) / 2, width * height];
  const at = Array.from({ length: frames.length / bytes }, (_, index) => index * bytes);
  const plain = at.findLast((start) => (frames[start] ?? 0) < middle) ?? 0;
  const isSlanted = (y: number) => {
    const luma = (x: number) => frames[plain + y * width + Math.round(x)] ?? 0;
    return luma(width / 4) > middle || luma((width * 3) / 4) < middle;
  };
  return Array.from({ length: height }, (_, y) => y).filter(isSlanted);
}

function frameOf(text: string) {
  const value = (name: string) => Number(new RegExp(`${name}[=:]\\s*([\\d.]+)`).exec(text)?.[1]);
  return {
    time: value('pts_time'),
    darkest: value('signalstats.YLOW'),
    brightest: value('signalstats.YHIGH'),
    average: value('signalstats.YAVG'),
  };
}
