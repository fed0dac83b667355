/**
 * The process that routes NDI sources, on the double of the library: its replacement, a salvo, and its cost at rest; and
 * frame times of the matrix in a browser.
 */
import { timing } from '../../../daemon/timing.ts';
import { buildDouble } from '../../sim/ndi/build-double.ts';
import { desiredOf, openRouterRig, output } from '../../sim/ndi/router-rig.ts';
import { startOthers } from '../link/measure-link.ts';
import { measureMatrixFrames } from '../matrix-frames.ts';
import { cpuSeconds, rssBytes, threadTimes } from '../proc.ts';
import type { LinkFigure, LinkResult } from '../report/result.ts';
import { median, percentile } from '../statistics.ts';
import { makeTempFolder, removeTempFolder } from '../temp-folder.ts';

const sources = 256;
const outputs = 128;
const salvo = 64;
const mebibyte = 1 << 20;
const sourceOf = (at: number): string => `SIM (Cam ${(at % sources) + 1})`;

export async function measureNdi(isQuick: boolean): Promise<LinkResult> {
  const [rounds, restMs] = isQuick ? [3, 5000] : [11, 20_000];
  const folder = makeTempFolder('ndi');
  const others = startOthers();
  const rig = await openRouterRig({
    library: await buildDouble(folder),
    environment: { NDI_DOUBLE_SOURCES: `${sources}` },
    // Tests have shorter intervals, which cost more.
    timing: timing.ndi,
  });
  try {
    const desired = desiredOf(Array.from({ length: outputs }, (_, at) => output(at + 1, sourceOf(at))));
    const allApplied = () => rig.outputs((all) => all.every(({ applied }) => applied !== null));
    rig.router.configure(desired);
    await allApplied();
    await rig.sourceNames((names) => names.length === sources + outputs);
    const salvos: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      const changes = Array.from({ length: salvo }, (_, at) => ({ id: at + 1, source: sourceOf(at + round) }));
      const began = performance.now();
      await rig.router.route(changes);
      salvos.push(performance.now() - began);
    }
    const restores: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const began = performance.now();
      rig.kill();
      await rig.away();
      await allApplied();
      restores.push(performance.now() - began);
      // The hub gives up after five ends within a minute.
      if (round % 4 === 3) rig.router.retry();
      await rig.running();
      await allApplied();
    }
    // By then, the memory that the start needed has been collected.
    await Bun.sleep(restMs);
    const [before, since] = [threadTimes([rig.pid()]), performance.now()];
    await Bun.sleep(restMs);
    const cpu = cpuSeconds(before, threadTimes([rig.pid()])) / ((performance.now() - since) / 1000);
    const rest = `with ${sources} sources and ${outputs} outputs at rest`;
    return {
      paths: [],
      figures: [
        { what: `${outputs} outputs restored after the process was killed`, ...ms(restores), atMost: 1000 },
        { what: `salvo of ${salvo} outputs acknowledged`, ...ms(salvos), atMost: 100 },
        { what: `memory (RSS) ${rest}`, found: rssBytes([rig.pid()]) / mebibyte, unit: 'MB', atMost: 40 },
        { what: `CPU ${rest}`, found: cpu * 100, unit: '%', atMost: 1 },
        ...(await matrixFigures()),
      ],
      othersCpu: others.cores(),
    };
  } finally {
    await rig.end();
    removeTempFolder(folder);
  }
}

const ms = (all: readonly number[]) => ({ found: median(all), unit: 'ms' });

/** In a browser with half of the CPU, while a route changes every 100 ms. */
async function matrixFigures(): Promise<LinkFigure[]> {
  return (await measureMatrixFrames(2)).flatMap(({ inputs, outputs, frames, click, key }) => {
    const at = `at ${inputs} x ${outputs}`;
    return [
      {
        what: `frame time of the scrolling matrix ${at}, p95`,
        found: percentile(frames, 0.95),
        unit: 'ms',
        atMost: 34,
      },
      { what: `frames until a click shows ${at}`, found: click, unit: '', atMost: 2 },
      { what: `frames until a key shows ${at}`, found: key, unit: '', atMost: 2 },
    ];
  });
}
