/**
 * `make fuzz`: runs all targets in turn, or one, with new inputs. TARGET, SEED, AT (one iteration) and MINUTES come
 * from the environment.
 */
import { runStretch } from './campaign.ts';
import { targetNamed, targets } from './targets.ts';

const { TARGET = '', SEED = '', AT = '', MINUTES = '' } = process.env;
const chosen = TARGET === '' ? targets : [targetNamed(TARGET)];
const seed = SEED === '' ? crypto.getRandomValues(new Uint32Array(1))[0]! : Number(SEED);
const endsAt = performance.now() + (MINUTES === '' ? 5 : Number(MINUTES)) * 60_000;
/** Inputs per process, as a multiple of those that `bun test` runs. */
const stretch = 10;
const startsBefore = 20;

console.log(`seed ${seed}; targets: ${chosen.map(({ name }) => name).join(', ')}`);
let failures = 0;
if (AT === '') {
  for (let round = 0; performance.now() < endsAt; round++) {
    for (const { name, inputs } of chosen) {
      if (performance.now() >= endsAt) break;
      // An endpoint keeps state, so an earlier input may be the cause of a failure.
      await report(name, round * stretch * inputs, stretch * inputs);
    }
  }
} else {
  const from = Math.max(0, Number(AT) - startsBefore);
  for (const { name } of chosen) await report(name, from, Number(AT) + 1 - from);
}
process.exit(failures === 0 ? 0 : 1);

async function report(target: string, from: number, count: number): Promise<void> {
  const fault = await runStretch({ target, seed, from, count });
  if (fault === undefined) console.log(`${target}: no failure in ${count} inputs from iteration ${from}`);
  else console.error(`\n${fault}\n`);
  if (fault !== undefined) failures++;
}
