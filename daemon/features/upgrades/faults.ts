/** Turns what went wrong with the upgrade of a device into a result. */
import type { DeviceProblemWord } from '../../contract/device-problems.ts';
import { type UpgradeFault, upgradeFaults } from '../../contract/upgrade-states.ts';
import { DeviceProblem } from '../../devices/problem.ts';
import { HubError } from '../../lib/hub-error.ts';

/** Result codes of devices: positive ones of most APIs, negative ones of Ultra Stream and Ultra Encode. */
const faultOfCode: ReadonlyMap<number, UpgradeFault> = new Map([
  ...[24, 34, 39, -34].map((code) => [code, 'mismatch'] as const),
  ...[21, 23, 40, 49, -15].map((code) => [code, 'badFile'] as const),
  ...[29, -16].map((code) => [code, 'noSpace'] as const),
]);

const faultOfWord: Readonly<Partial<Record<DeviceProblemWord, UpgradeFault>>> = {
  busy: 'busy',
  noPermission: 'refused',
  wrongPassword: 'lost',
  otherDevice: 'lost',
  certificateChanged: 'lost',
  certificateUnknown: 'lost',
  notADevice: 'lost',
  unsupported: 'unsupported',
  refused: 'refused',
};

/** Whether the device did not say anything: it may be away, or may have done what it was told. */
export function isSilence(error: unknown): boolean {
  return (
    error instanceof DeviceProblem &&
    (error.word === 'unreachable' ||
      error.word === 'timeout' ||
      error.word === 'linkDown' ||
      error.word === 'invalidAnswer')
  );
}

/** `silence`: what a device that says nothing means at this point. Any other error is returned as it is. */
export function faultOf(error: unknown, silence: UpgradeFault): unknown {
  if (!(error instanceof DeviceProblem)) return error;
  const fault = faultOfCode.get(error.code ?? 0) ?? faultOfWord[error.word] ?? silence;
  return upgradeError(fault, error.message);
}

export function upgradeError(fault: UpgradeFault, message: string): HubError {
  return new HubError(upgradeFaults[fault], message, { params: { reason: fault } });
}
