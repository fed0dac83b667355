import { useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { isOnAir } from '../../../../daemon/contract/streams.ts';
import { faultText } from '../../i18n/result-text.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import { confirm } from '../../ui/overlay/confirm.ts';
import { deleteChannel, enableChannel } from './channel-calls.ts';
import { losersText } from './losers-text.ts';

/** Actions on a channel, shared by the list and the detail page. */
export function useChannelActs() {
  const { i18n, t } = useLingui();
  return useMemo(() => {
    const enable = (channel: Channel, wanted: boolean) =>
      enableChannel(channel.id, wanted).catch((error: unknown) =>
        showToast('error', `${channel.name}: ${faultText(i18n, error)}`, `enable-${channel.id}`),
      );
    return {
      start: (channel: Channel) => void enable(channel, true),
      /** Asks for confirmation if the channel is live. */
      stop(channel: Channel) {
        if (!isOnAir(channel.state)) return void enable(channel, false);
        confirm({
          title: t`Stop “${channel.name}”?`,
          consequence: losersText(channel),
          verb: t`Stop channel`,
          isDangerous: true,
          run: () => enableChannel(channel.id, false),
        });
      },
      /** Asks for confirmation; calls `onDone` after the deletion. */
      remove(channel: Channel, onDone?: () => void) {
        const consequence = t`The channel and its keys will be permanently deleted. Encoders and players using them can no longer connect.`;
        confirm({
          title: t`Delete “${channel.name}”?`,
          consequence: isOnAir(channel.state) ? t`${losersText(channel)} ${consequence}` : consequence,
          verb: t`Delete channel`,
          isDangerous: true,
          async run() {
            await deleteChannel({ id: channel.id });
            onDone?.();
          },
          done: t`“${channel.name}” was deleted.`,
        });
      },
    };
  }, [i18n, t]);
}
