import { useLingui } from '@lingui/react/macro';
import { ActionIcon } from '@mantine/core';
import {
  IconDotsVertical,
  IconPencil,
  IconPlayerPlayFilled,
  IconPlayerStopFilled,
  IconTrash,
} from '@tabler/icons-react';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { useMay } from '../../api/session.ts';
import { useLicense } from '../../shared/license/LicenseNote.tsx';
import { DropMenu } from '../../ui/overlay/DropMenu.tsx';
import type { DialogAddress } from '../../ui/overlay/dialog-address.ts';
import styles from './ChannelListPage.module.css';
import { useChannelActs } from './useChannelActs.ts';

interface ChannelRowActionsProps {
  readonly channel: Channel;
  readonly open: DialogAddress['open'];
}

export function ChannelRowActions({ channel, open }: ChannelRowActionsProps) {
  const { t } = useLingui();
  const acts = useChannelActs();
  const mayEdit = useMay('channelEdit');
  const mayControl = useMay('channelControl');
  const { name } = channel;
  const isFull = useLicense().channels.isFull;
  const isOn = channel.config.enable;
  const Icon = isOn ? IconPlayerStopFilled : IconPlayerPlayFilled;
  const label = isOn ? t`Stop ${name}` : t`Start ${name}`;
  return (
    <span className={styles.rowActions}>
      {mayControl && (
        <ActionIcon
          size={30}
          aria-label={label}
          title={label}
          disabled={!isOn && isFull}
          onClick={() => (isOn ? acts.stop(channel) : acts.start(channel))}
        >
          <Icon size={15} aria-hidden />
        </ActionIcon>
      )}
      {mayEdit && (
        <DropMenu
          label={t`More actions for ${name}`}
          trigger={<IconDotsVertical size={16} stroke={1.7} aria-hidden />}
          items={() => [
            { key: 'edit', text: t`Edit`, icon: IconPencil, onSelect: () => open('edit', channel.id) },
            {
              key: 'delete',
              text: t`Delete`,
              icon: IconTrash,
              isDangerous: true,
              onSelect: () => acts.remove(channel),
            },
          ]}
        />
      )}
    </span>
  );
}
