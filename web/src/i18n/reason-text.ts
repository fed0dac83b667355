/** Sentences for the words by which the engine says why a connection isn't up. */
import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { ReasonWord } from './reason-words.ts';

const legReasons = {
  switchedOff: msg`Switched off`,
  noInput: msg`The channel has no input`,
  dnsFailed: msg`The host name is not known`,
  addressNotAllowed: msg`The hub may not connect to this address; see “Outgoing connections” in the settings`,
  unreachable: msg`The host can't be reached`,
  refused: msg`The host refused the connection`,
  timeout: msg`The host did not answer in time`,
  tlsFailed: msg`The secure connection failed`,
  handshakeFailed: msg`The handshake failed`,
  notAuthorized: msg`User name, password or key is wrong`,
  wrongPassphrase: msg`The passphrase is wrong`,
  streamRefused: msg`The other side refused the stream`,
  closedByPeer: msg`The other side closed the connection`,
  stalled: msg`The stream stood still for 10 s`,
  replaced: msg`A new publisher took over`,
  noData: msg`Connected, but nothing has arrived yet`,
  noSync: msg`What arrives is not a transport stream`,
  noProgramme: msg`The chosen programme isn't in the stream`,
  badInput: msg`What arrives can't be read`,
  codecNotPossible: msg`This codec can't be sent over this protocol`,
  soundLeftOut: msg`Sent without sound: this protocol can't carry its codec`,
  addressInUse: msg`The address or port is already in use`,
  notPermitted: msg`The hub may not use this port`,
  partMissing: msg`A part of the hub that this needs is missing`,
  internal: msg`A fault inside the hub`,
  engineDown: msg`The media engine is not running`,
} satisfies Record<ReasonWord, MessageDescriptor>;

export function reasonText(i18n: I18n, reason: string | undefined): string | undefined {
  const known: Readonly<Record<string, MessageDescriptor>> = legReasons;
  return reason === undefined ? undefined : i18n._(known[reason] ?? msg`Reason: ${reason}`);
}
