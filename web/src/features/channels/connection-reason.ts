/** Why a connection is not up, with the remedy where the protocol determines it. */
import type { I18n } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { ChannelInput } from '../../../../daemon/contract/channels.ts';
import { protocolBits } from '../../../../daemon/contract/streams.ts';
import { reasonText } from '../../i18n/reason-text.ts';

interface ConnectionReasons extends Pick<ChannelInput, 'refused'> {
  readonly protocol: number;
  readonly reason?: string | undefined;
}

export function connectionReasonText(i18n: I18n, { protocol, reason, refused }: ConnectionReasons): string | undefined {
  if (protocol === protocolBits.ndi && reason === 'partMissing') {
    return i18n._(
      msg`The hub has no NDI runtime that it can use. Install libndi.so.6, or set NDI_RUNTIME_DIR_V6 to its folder.`,
    );
  }
  if (refused) {
    const time = i18n.date(new Date(refused.time), { dateStyle: 'short', timeStyle: 'medium' });
    return i18n._(msg`A caller with a wrong or missing passphrase was refused: ${refused.addr}, ${time}`);
  }
  return reasonText(i18n, reason);
}

export function inputReasonText(i18n: I18n, input: ConnectionReasons): string | undefined {
  // The runtime connects whenever the source appears, so there is no attempt that fails without it.
  if (input.protocol === protocolBits.ndi && input.reason === 'noData') {
    return i18n._(msg`No video: the source is not on the network, or sends no video.`);
  }
  return connectionReasonText(i18n, input);
}
