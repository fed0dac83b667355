/** When the picture flashes and when the tone begins, in a recording of `tests/sim/ndi/clapper.ts`. */
import { clap } from '../sim/ndi/clapper.ts';

export interface Claps {
  /** Brightness of the pictures between the flashes. */
  readonly plain: { readonly darkest: number; readonly brightest: number };
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
  const [pictures, messages] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
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
    flashes: starts.map(({ time }) => time),
    tones: ends,
  };
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
