/** Words for how a change that had to be confirmed ended. */
import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { ChangeFailure, ChangeOutcome, ConfirmedKind } from '../../../../daemon/contract/network-states.ts';

export const outcomeTexts = {
  confirmed: msg`The change is confirmed.`,
  expired: msg`The change was not confirmed in time.`,
  canceled: msg`The change was undone on request.`,
  failed: msg`The change could not take effect.`,
  interrupted: msg`The hub or its machine restarted before the change was confirmed.`,
} satisfies Record<ChangeOutcome, MessageDescriptor>;

const failureTexts = {
  noDhcp: msg`No DHCP server answered.`,
  addressInUse: msg`Another machine in the network has this address already.`,
  noCable: msg`The cable was unplugged.`,
  refused: msg`NetworkManager refused the change.`,
  timeout: msg`NetworkManager did not answer in time.`,
  wrongKey: msg`The access point does not accept this key.`,
  outOfRange: msg`No access point in range has this name.`,
  accessPoint: msg`The access point refused the hub or did not answer.`,
  other: msg`The change could not take effect. See the system log for details.`,
} satisfies Record<ChangeFailure, MessageDescriptor>;

/** What was changed, as the subject of a sentence. */
export const kindTexts = {
  network: msg`Network settings`,
  routes: msg`Network routes`,
  wifi: msg`Wi-Fi settings`,
  firewall: msg`Firewall settings`,
  web: msg`Ports and certificate of the console`,
  settings: msg`Imported settings`,
} satisfies Record<ConfirmedKind, MessageDescriptor>;

interface Ending {
  readonly outcome: ChangeOutcome;
  readonly failure?: ChangeFailure | undefined;
}

export function outcomeText(i18n: I18n, { outcome, failure }: Ending): string {
  return i18n._(failure === undefined ? outcomeTexts[outcome] : failureTexts[failure]);
}
