/** The states of a channel's parts that the history distinguishes. Pure. */

import type { Channel, ChannelFailover } from '../../contract/channels.ts';
import type { SwitchReason } from '../../contract/failover.ts';
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
  /** For a switch: for how long its condition held, in milliseconds. */
  readonly afterMs?: number;
}

const words = new Map<number, ConnectionStateName>(
  Object.entries(connectionStates).map(([name, code]) => [code, name as ConnectionStateName]),
);
const wordOf = (code: number): string => words.get(code) ?? String(code);

export function partStates({ name, state, input, failover, outputs }: Channel): PartState[] {
  const connection = (from: Channel['input'] | Channel['outputs']['list'][number]) => ({
    state: wordOf(from['conn-state']),
    reason: from.reason ?? '',
  });
  const source = (what: RunPart, of: Channel['input']): PartState => ({
    ...{ what, outputId: 0, name: of.name === '' ? of.addr : of.name },
    ...connection(of),
  });
  return [
    { what: 'channel', outputId: 0, name, state, reason: isOnAir(state) ? '' : (input.reason ?? '') },
    ...(failover
      ? [source('input', failover.main), source('backup', failover.backup), switchOf(state, failover)]
      : [source('input', input)]),
    ...outputs.list.map((output) => ({
      ...({ what: 'output', outputId: output.id, name: output.name } as const),
      ...connection(output),
    })),
  ];
}

/** The input on air; without a state while none is. */
function switchOf(state: Channel['state'], { active, reason, rule, main, backup }: ChannelFailover): PartState {
  const name = active === 'slate' ? '' : { main, backup }[active].name;
  const afterMs: Partial<Record<SwitchReason, number>> = {
    ...{ noData: rule['no-data-ms'], noVideo: rule['no-video-ms'], noAudio: rule['no-audio-ms'] },
    stable: rule['stable-s'] * 1000,
  };
  return {
    ...{ what: 'switch', outputId: 0, name, state: isOnAir(state) ? active : '', reason },
    afterMs: afterMs[reason] ?? 0,
  };
}

export function isAtRest({ what, state }: PartState): boolean {
  return what === 'switch' ? state === 'main' : state === 'waiting' || state === 'disabled';
}

/**
 * Whether the part has been in a transitional state for `ms`: only its outcome is recorded, and an attempt that ends
 * like the previous one is not.
 */
export function isPassing({ what, state, reason }: PartState, ms: number): boolean {
  if (what === 'switch') return state === '';
  return (what !== 'channel' && state === 'connecting') || (reason === 'noData' && ms < timing.runHistory.beginningMs);
}
