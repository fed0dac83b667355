import { useLingui } from '@lingui/react/macro';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { isOnAir } from '../../../../daemon/contract/streams.ts';
import { useMay } from '../../api/session.ts';
import { canSwitchTo, useSwitchInput } from '../../features/channels/failover/useSwitchInput.ts';
import { useChannelActs } from '../../features/channels/useChannelActs.ts';
import type { Command } from './commands.ts';

/** What an operator may do to channels at the moment, with the questions that the buttons ask. */
export function useChannelCommands(channels: readonly Channel[]): Command[] {
  const { t } = useLingui();
  const mayControl = useMay('channelControl');
  const acts = useChannelActs();
  const switchInput = useSwitchInput();
  if (!mayControl) return [];
  return channels.flatMap((channel): Command[] => {
    const { name, config, failover } = channel;
    const act = (text: string, words: string, run: () => void): Command => ({ group: 'acts', text, words, run });
    const inputs = failover ? [failover.main, failover.backup] : [];
    const switches = inputs.filter((input) => input.role !== failover?.active && canSwitchTo(channel, input));
    return [
      config.enable
        ? act(t`Stop ${name}`, 'stop', () => acts.stop(channel))
        : act(t`Start ${name}`, 'start', () => acts.start(channel)),
      ...switches
        .filter(() => isOnAir(channel.state))
        .map(({ role }) =>
          role === 'backup'
            ? act(t`Switch ${name} to backup`, 'switch backup', () => switchInput(channel, 'backup'))
            : act(t`Switch ${name} to main input`, 'switch main', () => switchInput(channel, 'main')),
        ),
    ];
  });
}
