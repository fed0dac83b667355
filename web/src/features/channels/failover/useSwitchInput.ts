import { useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import type { Channel, ChannelInput } from '../../../../../daemon/contract/channels.ts';
import { connectionStates } from '../../../../../daemon/contract/streams.ts';
import { channelApi } from '../../../api/calls.ts';
import { call } from '../../../api/client.ts';
import { showToast } from '../../../ui/feedback/toasts.ts';
import { confirm } from '../../../ui/overlay/confirm.ts';

export const isConnected = (input: ChannelInput) => input['conn-state'] === connectionStates.connected;

/** Whether an operator can put the input on air now; its button is disabled otherwise. */
export function canSwitchTo({ config, failover }: Channel, input: ChannelInput): boolean {
  // A cold standby backup is connected when the switch is made.
  const isCold = input.role === 'backup' && failover?.rule.standby === 'cold' && config.enable;
  return isConnected(input) || isCold;
}

/** Puts the main input or the backup of a channel on air, after a question. */
export function useSwitchInput() {
  const { t } = useLingui();
  return useMemo(
    () => (channel: Channel, to: 'main' | 'backup') => {
      const isBackup = to === 'backup';
      confirm({
        title: isBackup ? t`Switch to backup?` : t`Switch to main input?`,
        consequence: t`Outputs and players stay connected; the switch happens at the next keyframe.`,
        verb: t`Switch`,
        async run() {
          await call(channelApi.switchInput, { body: { id: channel.id, to } });
          showToast('success', isBackup ? t`Switched to backup.` : t`Switched to main input.`, 'switch-input');
        },
      });
    },
    [t],
  );
}
