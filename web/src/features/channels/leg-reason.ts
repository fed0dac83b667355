/** Why a connection isn't up, with the cure where the protocol tells it. */
import type { I18n } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { ChannelInput } from '../../../../daemon/contract/channels.ts';
import { protocolBits } from '../../../../daemon/contract/streams.ts';
import { reasonText } from '../../i18n/reason-text.ts';

interface LegReasons extends Pick<ChannelInput, 'refused'> {
  readonly protocol: number;
  readonly reason?: string | undefined;
}

export function legReasonText(i18n: I18n, { protocol, reason, refused }: LegReasons): string | undefined {
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
