/** Remedies for a source without data, by the reason that the engine reports. */
import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { ReasonWord } from '../../i18n/reason-text.ts';

const remedies: Partial<Record<ReasonWord, MessageDescriptor>> = {
  dnsFailed: msg`Check the spelling of the host name and the DNS server of the hub.`,
  addressNotAllowed: msg`Private addresses can be allowed in the settings. Link-local addresses and ports of the hub itself are always refused.`,
  unreachable: msg`Check the address and the route from the hub to it.`,
  refused: msg`Check the port, and whether the sender is running.`,
  timeout: msg`Check the address and port, whether the sender is running, and whether a firewall blocks the hub.`,
  tlsFailed: msg`The server's certificate may be out of date or made for another name.`,
  handshakeFailed: msg`The remote end responds, but with another protocol. Check the protocol and port.`,
  notAuthorized: msg`Check the username, password and stream ID.`,
  wrongPassphrase: msg`Passphrase and key length must be the same on both sides.`,
  streamRefused: msg`Check the path, key or stream ID: the sender does not know this stream, or it is not being sent.`,
  closedByPeer: msg`The sender may have reached its limit of receivers, or has no stream at the moment.`,
  stalled: msg`The connection is up, but the stream has stopped. Check the encoder.`,
  noData: msg`Check whether the sender sends to this address and port, and whether a firewall or switch blocks it.`,
  noSync: msg`The sender must send MPEG transport stream.`,
  noProgram: msg`Check the program number, or leave it empty to take the whole stream.`,
  badInput: msg`Check the output format of the encoder.`,
  codecNotPossible: msg`Use H.264 or HEVC video and AAC audio on the encoder.`,
  addressInUse: msg`Another input or program listens on this port. Choose another one.`,
  notPermitted: msg`Ports below 1024 need privileges that the hub doesn't have. Choose a higher one.`,
  partMissing: msg`The dashboard shows which component it is.`,
};

export function remedyText(i18n: I18n, reason: string): string | undefined {
  const remedy = Object.hasOwn(remedies, reason) ? remedies[reason as ReasonWord] : undefined;
  return remedy && i18n._(remedy);
}
