/** Each parser gets the same mutated inputs in every run. `make fuzz` generates new ones for minutes. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { runStretch } from './campaign.ts';
import { targets } from './targets.ts';

setDefaultTimeout(60_000);
const seed = 1;

for (const { name, inputs } of targets) {
  test(`${name} handles ${inputs} mutated inputs`, async () => {
    expect(await runStretch({ target: name, seed, from: 0, count: inputs })).toBeUndefined();
  });
}
