/** A device far away: a line with 50 ms, fast and slow. */
import type { LinkFigure } from '../report/result.ts';
import { download, firstByteMs, smallRequests } from './load.ts';
import { type LinkPace, ratio } from './measure-link.ts';
import { printedBy, startLinkRig, startProgram } from './rig.ts';

const rttMs = 50;
const fast = 100_000;
const slow = 2500;
/** Four seconds of the slow line, or eight. */
const slowBytes = { quick: 10_000_000, full: 20_000_000 };
const times = 7;

export async function measureFar(target: number, { isQuick }: LinkPace): Promise<LinkFigure[]> {
  const near = await startLinkRig({ target, line: { rttMs, bytesPerMs: fast } });
  const direct = startProgram<{ port: number }>('wan', [target, rttMs, fast]);
  const figures: LinkFigure[] = [];
  try {
    // The line is a process, too: its own round trip and what it carries without a link are the yardstick.
    const plainPort = await printedBy(direct, 'port');
    const [{ p50Ms }, firstByte] = [await smallRequests(plainPort, 1, 2), await firstByteMs(near.forward, times)];
    figures.push(ratio(`${rttMs} ms: first byte of a new stream, in round trips`, firstByte / p50Ms, { atMost: 1.15 }));
    const [plain, linked] = [await download(plainPort), await download(near.forward)];
    figures.push(
      ratio(`${rttMs} ms, ${fast / 1000} MB/s: 200 MB, of what the line carries`, linked / plain, { atLeast: 0.7 }),
    );
  } finally {
    await Promise.all([near.stop(), direct.child.kill()]);
  }
  const far = await startLinkRig({ target, line: { rttMs, bytesPerMs: slow } });
  const plainLine = startProgram<{ port: number }>('wan', [target, rttMs, slow]);
  try {
    const bytes = isQuick ? slowBytes.quick : slowBytes.full;
    const plain = await download(await printedBy(plainLine, 'port'), `0-${bytes - 1}`);
    const idle = await firstByteMs(far.forward, times);
    const bulk = download(far.forward, `0-${bytes - 1}`);
    // Until the window has adapted.
    await Bun.sleep(1000);
    const during = await firstByteMs(far.forward, times);
    const name = `${rttMs} ms, ${slow / 1000} MB/s`;
    figures.push(
      ratio(`${name}: bulk, of what the line carries`, (await bulk) / plain, { atLeast: 0.9 }),
      ratio(`${name}: small request beside it, against idle`, during / idle, { atMost: 2.5 }),
    );
  } finally {
    await Promise.all([far.stop(), plainLine.child.kill()]);
  }
  return figures;
}
