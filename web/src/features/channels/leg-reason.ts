/** Why a connection isn't up, with the cure where the protocol tells it. */
import type { I18n } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { protocolBits } from '../../../../daemon/contract/streams.ts';
import { reasonText } from '../../i18n/reason-text.ts';

export function legReasonText(
  i18n: I18n,
  { protocol, reason }: { readonly protocol: number; readonly reason?: string | undefined },
): string | undefined {
  if (protocol === protocolBits.ndi && reason === 'partMissing') {
    return i18n._(
      msg`The hub has no NDI runtime that it can use. Install libndi.so.6, or set NDI_RUNTIME_DIR_V6 to its folder.`,
    );
  }
  return reasonText(i18n, reason);
}
