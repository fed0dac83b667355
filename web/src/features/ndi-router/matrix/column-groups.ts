import type { NdiInput } from '../../../../../daemon/contract/ndi-router.ts';
import { ndiMachine } from '../../../../../daemon/contract/ndi-router-words.ts';

/** Returns the group of each column: the NDI group of the input, otherwise its machine if that has several inputs. */
export function columnGroups(
  inputs: readonly Pick<NdiInput, 'id' | 'group' | 'source'>[],
): ReadonlyMap<number, string> {
  const machines = inputs.map(({ source }) => ndiMachine(source ?? ''));
  const counts = new Map<string, number>();
  for (const machine of machines) counts.set(machine, (counts.get(machine) ?? 0) + 1);
  return new Map(
    inputs.map(({ id, group }, at) => {
      const machine = machines[at] ?? '';
      return [id, group || ((counts.get(machine) ?? 0) > 1 ? machine : '')];
    }),
  );
}
