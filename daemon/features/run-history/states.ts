/** The states of a channel's parts that the history distinguishes. Pure. */

import type { Channel } from '../../contract/channels.ts';
import { type ConnectionStateName, connectionStates, isOnAir, type RunPart } from '../../contract/streams.ts';
import { timing } from '../../timing.ts';

export interface PartState {
  readonly what: RunPart;
  /** 0 unless the part is an output. */
  readonly outputId: number;
  readonly name: string;
  readonly state: string;
  /** Empty if there is no fault. */
  readonly reason: string;
}

const words = new Map<number, ConnectionStateName>(
  Object.entries(connectionStates).map(([name, code]) => [code, name as ConnectionStateName]),
);
const wordOf = (code: number): string => words.get(code) ?? String(code);

export function partStates({ name, state, input, outputs }: Channel): PartState[] {
  const connection = (from: Channel['input'] | Channel['outputs']['list'][number]) => ({
    state: wordOf(from['conn-state']),
    reason: from.reason ?? '',
  });
  return [
    { what: 'channel', outputId: 0, name, state, reason: isOnAir(state) ? '' : (input.reason ?? '') },
    { what: 'input', outputId: 0, name: input.name === '' ? input.addr : input.name, ...connection(input) },
    ...outputs.list.map((output) => ({
      ...({ what: 'output', outputId: output.id, name: output.name } as const),
      ...connection(output),
    })),
  ];
}

export function isAtRest({ state }: PartState): boolean {
  return state === 'waiting' || state === 'disabled';
}

/**
 * Whether the part has been in a transitional state for `ms`: only its outcome is recorded, and an attempt that ends
 * like the previous one is not.
 */
export function isPassing({ what, state, reason }: PartState, ms: number): boolean {
  return (what !== 'channel' && state === 'connecting') || (reason === 'noData' && ms < timing.runHistory.beginningMs);
}
