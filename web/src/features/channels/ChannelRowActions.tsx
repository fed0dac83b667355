import { useLingui } from '@lingui/react/macro';
import { ActionIcon } from '@mantine/core';
import {
  IconCopy,
  IconDotsVertical,
  IconPencil,
  IconPlayerPlayFilled,
  IconPlayerStopFilled,
  IconTrash,
} from '@tabler/icons-react';
import { memo } from 'react';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { queryClient } from '../../api/query-client.ts';
import { useMay } from '../../api/session.ts';
import { useChannelsFull } from '../../shared/license/LicenseNote.tsx';
import { channelsQuery } from '../../shared/streams/channels-query.ts';
import { DropMenu } from '../../ui/overlay/DropMenu.tsx';
import type { DialogAddress } from '../../ui/overlay/dialog-address.ts';
import { WithReason } from '../../ui/overlay/WithReason.tsx';
import styles from './ChannelListPage.module.css';
import { isSameButFigures } from './channel-cells.tsx';
import { useChannelActs } from './useChannelActs.ts';

interface ChannelRowActionsProps {
  readonly channel: Channel;
  readonly open: DialogAddress['open'];
}

/** Renders only when a button changes; an act gets the newest state of the channel, which its question describes. */
export const ChannelRowActions = memo(
  ChannelButtons,
  (before, next) => before.open === next.open && isSameButFigures(before, next),
);

function ChannelButtons({ channel, open }: ChannelRowActionsProps) {
  const { t } = useLingui();
  const acts = useChannelActs();
  const mayEdit = useMay('channelEdit');
  const mayControl = useMay('channelControl');
  const { id, name } = channel;
  const newest = () => queryClient.getQueryData(channelsQuery.queryKey)?.find((one) => one.id === id) ?? channel;
  const full = useChannelsFull();
  const isOn = channel.config.enable;
  const Icon = isOn ? IconPlayerStopFilled : IconPlayerPlayFilled;
  const label = isOn ? t`Stop ${name}` : t`Start ${name}`;
  return (
    <span className={styles.rowActions}>
      {mayControl && (
        <WithReason reason={isOn ? undefined : full}>
          <ActionIcon
            size={30}
            aria-label={label}
            title={label}
            onClick={() => (isOn ? acts.stop(newest()) : acts.start(newest()))}
          >
            <Icon size={15} aria-hidden />
          </ActionIcon>
        </WithReason>
      )}
      {mayEdit && (
        <DropMenu
          label={t`More actions for ${name}`}
          trigger={<IconDotsVertical size={16} stroke={1.7} aria-hidden />}
          items={() => [
            { key: 'edit', text: t`Edit`, icon: IconPencil, onSelect: () => open('edit', id) },
            { key: 'duplicate', text: t`Duplicate`, icon: IconCopy, onSelect: () => open('duplicate', id) },
            {
              key: 'delete',
              text: t`Delete`,
              icon: IconTrash,
              isDangerous: true,
              onSelect: () => acts.remove(newest()),
            },
          ]}
        />
      )}
    </span>
  );
}
