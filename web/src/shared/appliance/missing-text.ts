/** Words for a part of the operating system that the pages of the appliance need and that does not serve them. */
import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { Missing } from '../../../../daemon/contract/appliance.ts';
import type { AppliancePart, PartFault } from '../../../../daemon/contract/appliance-parts.ts';

/** Names of programs are the same in every language. */
const names: Readonly<Record<AppliancePart, MessageDescriptor | string>> = {
  bus: msg`The system bus (D-Bus)`,
  networkManager: 'NetworkManager',
  wpaSupplicant: 'wpa_supplicant',
  helper: msg`The system helper of Signalbox`,
  nftables: 'nftables',
  chrony: 'chrony',
  ethtool: 'ethtool',
};

/** What installs or starts a part of which nothing runs. */
const commands: Readonly<Record<AppliancePart, string>> = {
  bus: 'sudo apt install dbus',
  networkManager: 'sudo apt install network-manager',
  wpaSupplicant: 'sudo apt install wpasupplicant',
  helper: 'sudo systemctl enable --now signalbox-helper.socket',
  nftables: 'sudo apt install nftables',
  chrony: 'sudo apt install chrony',
  ethtool: 'sudo apt install ethtool',
};

const remedies = {
  absent: msg`It is not installed or does not run. Until it does, this page shows what can be read without it, and changes are refused.`,
  silent: msg`It does not answer. The hub asks again by itself; see the system log if this lasts.`,
  refused: msg`It does not permit the hub to use it. Install the hub with “make install”, which adds the permissions that it needs.`,
} satisfies Record<PartFault, MessageDescriptor>;

type MissingPart = Missing[number];

export function missingTitle(i18n: I18n, { part, fault }: MissingPart): string {
  const name = names[part];
  const who = typeof name === 'string' ? name : i18n._(name);
  if (fault === 'absent') return i18n._(msg`${who} is missing`);
  return fault === 'silent' ? i18n._(msg`${who} does not answer`) : i18n._(msg`${who} refuses the hub`);
}

export function remedyOf({ part, fault }: MissingPart): { text: MessageDescriptor; command: string | undefined } {
  return { text: remedies[fault], command: fault === 'absent' ? commands[part] : undefined };
}
