/** Adds many devices with a result for each, which is told as it comes. */
import type { I18n } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { DeviceProblemWord } from '../../../../daemon/contract/device-problems.ts';
import type { Added, NewDevice } from '../../../../daemon/contract/devices.ts';
import { resultName } from '../../../../daemon/contract/result.ts';
import { problemTexts } from '../../i18n/device-problem-text.ts';
import { faultText } from '../../i18n/result-text.ts';
import { CallError } from '../../lib/call-error.ts';
import { addDevices } from './device-calls.ts';

export interface Outcome {
  readonly address: string;
  readonly isAdded: boolean;
  readonly problem?: DeviceProblemWord | undefined;
  /** SHA-256 of the certificate that the device presents, which was not accepted yet. */
  readonly pin?: string | undefined;
  readonly error?: unknown;
}

/** The hub asks 16 devices at once; results come with the answer of a call. */
const perCall = 8;
const callsAtOnce = 2;

/** Calls `onOutcomes` with the results of devices from position `at` on. After an abort, no further call begins. */
export async function addEach(
  devices: readonly NewDevice[],
  onOutcomes: (at: number, outcomes: readonly Outcome[]) => void,
  signal: AbortSignal,
): Promise<void> {
  let next = 0;
  const caller = async () => {
    while (next < devices.length && !signal.aborted) {
      const at = next;
      next += perCall;
      const list = devices.slice(at, next);
      const outcomes = await addDevices({ list }).then(
        (answer) => answer.list.map(outcomeOf),
        // One call that fails does not keep the others from being tried.
        (error: unknown) => list.map(({ address }) => ({ address, isAdded: false, error })),
      );
      onOutcomes(at, outcomes);
    }
  };
  await Promise.all(Array.from({ length: callsAtOnce }, caller));
}

export function outcomeOf({ address, result, problem, pin }: Added): Outcome {
  if (result === 0) return { address, isAdded: true };
  const name = resultName(result);
  const fault = name === undefined || name === 'success' ? 'unknownCode' : name;
  return { address, isAdded: false, problem, pin, error: new CallError(fault, { code: result }) };
}

/** Why a device was not added. */
export function outcomeText(i18n: I18n, { problem, error }: Outcome): string {
  if (problem !== undefined) return i18n._(problemTexts[problem]);
  if (error instanceof CallError && error.fault === 'objectExists')
    return i18n._(msg`The hub has this device already.`);
  return faultText(i18n, error);
}
