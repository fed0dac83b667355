/** A large copy through a forward, both ways and compared by its hash, beside socat. */
import { fetchBytes, sendBytes } from '../../support/copy-port.ts';
import { leasePort } from '../../support/ports.ts';
import { startChild } from '../child.ts';
import type { LinkFigure } from '../report/result.ts';
import { median } from '../statistics.ts';
import { untilListening } from '../until-listening.ts';

/** Each takes about 15 s. */
const maxRounds = 5;

interface Way {
  readonly name: string;
  readonly port: number;
}

interface CopyPace {
  readonly rounds: number;
  readonly isQuick: boolean;
}

/** `target`: the port of the device. `forwards`: ports of the hub that lead to it. */
export async function measureCopies(
  target: number,
  forwards: readonly Way[],
  { rounds, isQuick }: CopyPace,
): Promise<LinkFigure[]> {
  const bytes = isQuick ? 64 << 20 : 1 << 30;
  const port = leasePort();
  const listen = `TCP-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr`;
  const socat = startChild('socat', ['socat', '-b', '65536', listen, `TCP:127.0.0.1:${target}`]);
  try {
    await untilListening(port, socat);
    const ways = [{ name: 'socat', port }, ...forwards].map((way) => ({
      ...way,
      down: [] as number[],
      up: [] as number[],
    }));
    for (let round = 0; round < Math.min(rounds, maxRounds); round++) {
      for (const way of ways) {
        way.down.push(await timed(way.name, bytes, () => fetchBytes(way.port, bytes)));
        way.up.push(await timed(way.name, bytes, () => sendBytes(way.port, bytes)));
      }
    }
    const [baseline, ...measured] = ways;
    if (baseline === undefined) throw new Error('there is no baseline');
    const size = isQuick ? '64 MB' : '1 GB';
    return measured.flatMap(({ name, down, up }) => [
      figure(`${size} to the hub, forward ${name}, against socat`, median(ratios(down, baseline.down))),
      figure(`${size} to the device, forward ${name}, against socat`, median(ratios(up, baseline.up))),
    ]);
  } finally {
    await socat.stop();
  }
}

/** By round: the speed of a machine that others share changes from one to the next. */
const ratios = (speeds: readonly number[], baseline: readonly number[]) =>
  speeds.map((speed, round) => speed / (baseline[round] ?? Number.NaN));

const figure = (what: string, found: number): LinkFigure => ({ what, found, unit: '×', atLeast: 0.65 });

interface Copy {
  readonly bytes: number;
  readonly hash: string | undefined;
  readonly wanted: string;
}

/** Returns bytes per second. */
async function timed(name: string, bytes: number, copy: () => Promise<Copy>): Promise<number> {
  const began = performance.now();
  const done = await copy();
  const seconds = (performance.now() - began) / 1000;
  if (done.bytes !== bytes || done.hash !== done.wanted) {
    throw new Error(`${name}: ${done.bytes} of ${bytes} bytes arrived, with the hash ${done.hash}`);
  }
  return bytes / seconds;
}
