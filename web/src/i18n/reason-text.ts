/** Text for the reason words with which the engine reports why a connection is not up. */
import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';

/** By reason word. The console may not import the engine's types. */
export const connectionReasons = {
  switchedOff: msg`Switched off`,
  noInput: msg`The channel has no input`,
  dnsFailed: msg`The host name could not be resolved`,
  addressNotAllowed: msg`The hub may not connect to this address; see “Outgoing connections” in the settings`,
  unreachable: msg`The host can't be reached`,
  refused: msg`Connection refused`,
  timeout: msg`The host did not answer in time`,
  tlsFailed: msg`The secure connection failed`,
  handshakeFailed: msg`The handshake failed`,
  notAuthorized: msg`Incorrect username, password or key`,
  wrongPassphrase: msg`The passphrase is wrong`,
  streamRefused: msg`The remote end refused the stream; check its name or key`,
  closedByPeer: msg`The remote end closed the connection`,
  stalled: msg`No data for 10 s`,
  replaced: msg`A new publisher took over`,
  noData: msg`Connected, but nothing has arrived yet`,
  noSync: msg`The received data is not a transport stream`,
  noProgram: msg`The chosen program isn't in the stream`,
  badInput: msg`The received data can't be read`,
  codecNotPossible: msg`This protocol does not support the codec`,
  soundLeftOut: msg`Sent without audio: this protocol does not support its codec`,
  addressInUse: msg`The address or port is already in use`,
  notPermitted: msg`The hub may not use this port`,
  partMissing: msg`A required component of the hub is missing`,
  internal: msg`Internal error of the hub`,
  engineDown: msg`The media engine is not running`,
} satisfies Record<string, MessageDescriptor>;
export type ReasonWord = keyof typeof connectionReasons;

export function reasonText(i18n: I18n, reason: string | undefined): string | undefined {
  const known: Readonly<Record<string, MessageDescriptor>> = connectionReasons;
  return reason === undefined ? undefined : i18n._(known[reason] ?? msg`Reason: ${reason}`);
}
