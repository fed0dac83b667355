import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconBroadcast, IconPlus } from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { Channel, ChannelState } from '../../../../daemon/contract/channels.ts';
import { isOnAir, protocolOf } from '../../../../daemon/contract/streams.ts';
import { useTopic } from '../../api/live.ts';
import { useMay } from '../../api/session.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { LicenseNote } from '../../shared/license/LicenseNote.tsx';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { channelsQuery, channelsTopic } from '../../shared/streams/channels-query.ts';
import { pictureText } from '../../shared/streams/media-text.ts';
import { RateCell } from '../../shared/streams/RateCell.tsx';
import { channelLooks } from '../../shared/streams/state-look.ts';
import { EmptyState } from '../../ui/layout/EmptyState.tsx';
import { useDialogAddress } from '../../ui/overlay/dialog-address.ts';
import type { Column, StateFilter } from '../../ui/table/column.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { ChannelRowActions } from './ChannelRowActions.tsx';
import { channelControlActs, channelEditActs } from './channel-bulk.ts';
import {
  CountCell,
  InputCell,
  NameCell,
  OutputsCell,
  PictureCell,
  PictureLink,
  RunTimeCell,
  StateCell,
} from './channel-cells.tsx';

const ChannelDialog = deferredPart(() => import('./ChannelDialog.tsx'));

const columns: readonly Column<Channel>[] = [
  {
    key: 'state',
    title: msg`State`,
    width: 116,
    cell: (channel) => <StateCell channel={channel} />,
    sortValue: (channel) => channelLooks[channel.state].rank,
    searchText: (channel, i18n) => i18n._(channelLooks[channel.state].text),
    isFixed: true,
    onCard: 'state',
  },
  {
    key: 'name',
    title: msg`Name`,
    // With the picture beside it.
    minWidth: 250,
    cell: (channel) => <NameCell channel={channel} />,
    sortValue: (channel) => channel.name,
    searchText: (channel) => channel.name,
    isFixed: true,
    onCard: 'title',
  },
  {
    key: 'input',
    title: msg`Input`,
    minWidth: 180,
    priority: 3,
    cell: (channel) => <InputCell channel={channel} />,
    sortValue: (channel) => `${channel.input.protocol} ${channel.input.addr}`,
    searchText: ({ input }) => `${input.name} ${protocolOf(input.protocol) ?? ''} ${input.addr}`,
  },
  {
    key: 'picture',
    title: msg`Video`,
    width: 190,
    priority: 5,
    cell: (channel) => <PictureCell channel={channel} />,
    searchText: (channel) => pictureText(channel.input.media?.video) ?? '',
    isOptional: true,
    onCard: 'none',
  },
  {
    key: 'rate',
    title: msg`Bitrate`,
    width: 108,
    priority: 2,
    isRight: true,
    cell: (channel) => <RateCell kbps={channel.config.enable ? channel.kbps : undefined} />,
    sortValue: (channel) => channel.kbps,
  },
  {
    key: 'time',
    title: msg`Live for`,
    width: 112,
    priority: 1,
    isRight: true,
    cell: (channel) => <RunTimeCell seconds={isOnAir(channel.state) ? channel['living-time-s'] : undefined} />,
    sortValue: (channel) => channel['living-time-s'],
  },
  {
    key: 'players',
    title: msg`Players`,
    width: 84,
    isRight: true,
    cell: (channel) => <CountCell count={channel.clients.total} />,
    sortValue: (channel) => channel.clients.total,
  },
  {
    key: 'outputs',
    title: msg`Outputs`,
    width: 92,
    priority: 4,
    isRight: true,
    cell: (channel) => <OutputsCell channel={channel} />,
    sortValue: (channel) => channel.outputs.total,
  },
  {
    key: 'reconnects',
    title: msg`Reconnects`,
    width: 110,
    isRight: true,
    cell: (channel) => <CountCell count={channel.input.reconnects} />,
    sortValue: (channel) => channel.input.reconnects,
    isOptional: true,
    onCard: 'none',
  },
];

const inState = (key: string, ...states: readonly [ChannelState, ...ChannelState[]]): StateFilter<Channel> => ({
  key,
  title: channelLooks[states[0]].text,
  has: ({ state }) => states.includes(state),
});

const states: readonly StateFilter<Channel>[] = [
  inState('live', 'live'),
  inState('slate', 'slate'),
  inState('failed', 'failed', 'engineDown'),
  inState('stale', 'stale'),
  inState('waiting', 'waiting'),
  inState('stopped', 'disabled'),
];

const picture = (channel: Channel) => <PictureLink channel={channel} />;

export default function ChannelListPage() {
  const { t } = useLingui();
  const mayEdit = useMay('channelEdit');
  const mayControl = useMay('channelControl');
  const dialog = useDialogAddress();
  useTopic(channelsTopic, true);
  const channels = useSuspenseQuery(channelsQuery).data;
  const { open } = dialog;
  const actions = useCallback((channel: Channel) => <ChannelRowActions channel={channel} open={open} />, [open]);
  const bulk = useMemo(
    () => [...(mayControl ? channelControlActs : []), ...(mayEdit ? channelEditActs : [])],
    [mayControl, mayEdit],
  );
  const about = channels.find((channel) => channel.id === dialog.id);
  const edited = dialog.name === 'edit' ? about : undefined;
  const original = dialog.name === 'duplicate' ? about : undefined;
  const add = mayEdit && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => open('add')}>
      <Trans>Add channel</Trans>
    </Button>
  );
  return (
    <>
      <PageHeader title={t`Channels`} actions={add} />
      {mayControl && <LicenseNote of={['channels']} />}
      <DataTable
        id="channels"
        label={t`Channels`}
        columns={columns}
        states={states}
        cardTop={picture}
        bulk={bulk}
        items={channels}
        {...((mayEdit || mayControl) && { rowActions: actions })}
        actionsWidth={84}
        empty={
          <EmptyState icon={IconBroadcast} title={<Trans>No channels yet</Trans>} action={add}>
            <Trans>A channel receives one stream and delivers it to outputs and players.</Trans>
          </EmptyState>
        }
      />
      {mayEdit && (dialog.name === 'add' || edited !== undefined || original !== undefined) && (
        <ChannelDialog
          key={(edited ?? original)?.id ?? 'new'}
          channel={edited}
          original={original}
          onClose={dialog.close}
        />
      )}
    </>
  );
}
