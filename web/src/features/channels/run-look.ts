import { channelStates, type RunPart } from '../../../../daemon/contract/streams.ts';
import { channelLooks, connectionLooks, type StateLook, stoppedLook } from '../../shared/streams/state-look.ts';
import type { Look } from '../../ui/data/StateMark.tsx';
import { roleLooks, roleOf } from './switch-text.ts';

/** Look of a state in the history; undefined without a state, and for states of a newer hub. */
export function runLook(what: RunPart, state: string, reason?: string): Look | undefined {
  if (reason === 'switchedOff' && (what === 'input' || what === 'output')) return stoppedLook;
  const role = what === 'switch' ? roleOf(state) : undefined;
  if (role !== undefined) return roleLooks[role];
  if (what === 'channel') {
    const known = channelStates.find((one) => one === state);
    return known && channelLooks[known];
  }
  const looks: Readonly<Record<string, StateLook>> = connectionLooks;
  return Object.hasOwn(looks, state) ? looks[state] : undefined;
}
