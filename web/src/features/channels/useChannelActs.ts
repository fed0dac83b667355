import { t as now, plural } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { faultText } from '../../i18n/result-text.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import { confirm } from '../../ui/overlay/confirm.ts';
import { deleteChannel, enableChannel } from './channel-calls.ts';

export interface ChannelActs {
  readonly start: (channel: Channel) => void;
  /** Asks for confirmation if the channel is live. */
  readonly stop: (channel: Channel) => void;
  /** Asks for confirmation; calls `onDone` after the deletion. */
  readonly remove: (channel: Channel, onDone?: () => void) => void;
}

/** Actions on a channel, shared by the list and the detail page. */
export function useChannelActs(): ChannelActs {
  const { i18n, t } = useLingui();
  return useMemo(() => {
    const enable = (channel: Channel, wanted: boolean) =>
      enableChannel(channel.id, wanted).catch((error: unknown) =>
        showToast('error', `${channel.name}: ${faultText(i18n, error)}`, `enable-${channel.id}`),
      );
    return {
      start: (channel) => void enable(channel, true),
      stop(channel) {
        if (channel.state !== 'live') return void enable(channel, false);
        confirm({
          title: t`Stop “${channel.name}”?`,
          consequence: losersText(channel),
          verb: t`Stop channel`,
          isDangerous: true,
          run: () => enableChannel(channel.id, false),
        });
      },
      remove(channel, onDone) {
        const consequence = t`The channel and its keys are permanently deleted: encoders and players that use them can no longer connect.`;
        confirm({
          title: t`Delete “${channel.name}”?`,
          consequence: channel.state === 'live' ? t`${losersText(channel)} ${consequence}` : consequence,
          verb: t`Delete channel`,
          isDangerous: true,
          async run() {
            await deleteChannel(channel.id);
            showToast('success', t`“${channel.name}” was deleted.`);
            onDone?.();
          },
        });
      },
    };
  }, [i18n, t]);
}

function losersText(channel: Channel): string {
  const running = channel.outputs.list.filter((output) => output.kbps > 0).length;
  const outputs = plural(running, { one: '# running output', other: '# running outputs' });
  const players = plural(channel.clients.total, { one: '# player', other: '# players' });
  return now`It is live: ${outputs} and ${players} lose the picture.`;
}
