import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import {
  IconBroadcastOff,
  IconCopy,
  IconDotsVertical,
  IconPencil,
  IconPlayerPlayFilled,
  IconPlayerStopFilled,
  IconTrash,
} from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from 'react-router-dom';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { useTopic } from '../../api/live.ts';
import { useMay } from '../../api/session.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { paths } from '../../lib/paths.ts';
import { LicenseNote, useChannelsFull } from '../../shared/license/LicenseNote.tsx';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { channelsQuery, channelsTopic } from '../../shared/streams/channels-query.ts';
import { EmptyState } from '../../ui/layout/EmptyState.tsx';
import { DropMenu } from '../../ui/overlay/DropMenu.tsx';
import { type DialogAddress, useDialogAddress } from '../../ui/overlay/dialog-address.ts';
import { WithReason } from '../../ui/overlay/WithReason.tsx';
import { AddressPanel } from './AddressPanel.tsx';
import styles from './ChannelDetailPage.module.css';
import { ChannelFigures } from './ChannelFigures.tsx';
import { StateCell } from './channel-cells.tsx';
import { EncoderWait } from './EncoderWait.tsx';
import { FirstStream, useFirstStream } from './guide/FirstStream.tsx';
import { InputPanel } from './InputPanel.tsx';
import { LivePanel } from './LivePanel.tsx';
import { OutputsPanel } from './OutputsPanel.tsx';
import { PlayersPanel } from './PlayersPanel.tsx';
import { findConnection, kindOfDialog } from './quality/connections.ts';
import { RatePanel } from './RatePanel.tsx';
import { useChannelActs } from './useChannelActs.ts';

const AlarmPanel = deferredPart(() => import('../../shared/alarms/AlarmPanel.tsx'));
const ActivityPanel = deferredPart(() => import('./ActivityPanel.tsx'));
const RunPanel = deferredPart(() => import('./RunPanel.tsx'));
const ChannelDialog = deferredPart(() => import('./ChannelDialog.tsx'));
const EncoderDialog = deferredPart(() => import('./guide/EncoderDialog.tsx'));
const QualityDialog = deferredPart(() => import('./quality/QualityDialog.tsx'));

const manyOutputs = 10;

export default function ChannelDetailPage() {
  const { t } = useLingui();
  const id = Number(useParams().channelId);
  useTopic(channelsTopic, true);
  const channel = useSuspenseQuery(channelsQuery).data.find((one) => one.id === id);
  if (channel !== undefined) return <ChannelDetail key={id} channel={channel} />;
  return (
    <>
      <PageHeader title={t`Channel`} />
      <EmptyState
        icon={IconBroadcastOff}
        title={<Trans>This channel does not exist</Trans>}
        action={
          <Button component={Link} to={paths.channels} variant="default">
            <Trans>All channels</Trans>
          </Button>
        }
      >
        <Trans>Another user may have deleted it.</Trans>
      </EmptyState>
    </>
  );
}

function ChannelDetail({ channel }: { channel: Channel }) {
  const dialog = useDialogAddress();
  const mayEdit = useMay('channelEdit');
  const mayControl = useMay('channelControl');
  const maySeeLog = useMay('admin');
  const firstStream = useFirstStream(channel);
  // So that both columns are about as long: a backup makes the left one longer, too.
  const isRateLeft = channel.outputs.list.length > manyOutputs && channel.failover === undefined;
  const kind = kindOfDialog(dialog.name);
  const connection = kind && findConnection(channel, kind, dialog.id);
  return (
    <>
      <PageHeader
        title={channel.name}
        isObject
        aside={
          <span className={styles.headState}>
            <StateCell channel={channel} isProminent />
            <EncoderWait channel={channel} />
          </span>
        }
        actions={<ChannelButtons channel={channel} open={dialog.open} />}
      />
      <div className={styles.page}>
        {mayControl && <LicenseNote of={channel.config.enable ? ['outputs', 'srt'] : ['channels', 'outputs', 'srt']} />}
        {mayEdit && firstStream.is && (
          <FirstStream
            {...{ channel, is: firstStream.is, onClose: firstStream.close }}
            onWatch={() => dialog.open('preview')}
          />
        )}
        <ChannelFigures channel={channel} />
        <div className={styles.columns}>
          <div className={styles.column}>
            <LivePanel channel={channel} dialog={dialog} />
            <InputPanel channel={channel} dialog={dialog} />
            {isRateLeft && <RatePanel channel={channel} />}
          </div>
          <div className={styles.column}>
            <OutputsPanel channel={channel} dialog={dialog} />
            {!isRateLeft && <RatePanel channel={channel} />}
            <AddressPanel channel={channel} dialog={dialog} isGuided={mayEdit && firstStream.is === 'awaited'} />
          </div>
        </div>
        <PlayersPanel channel={channel} />
        <AlarmPanel channel={channel} dialog={dialog} />
        <RunPanel id={channel.id} />
        {maySeeLog && <ActivityPanel channel={channel} />}
      </div>
      {connection && <QualityDialog channel={channel.id} connection={connection} onClose={dialog.close} />}
      {mayEdit && dialog.name === 'encoder' && <EncoderDialog channel={channel} onClose={dialog.close} />}
      {mayEdit && dialog.name === 'edit' && <ChannelDialog channel={channel} onClose={dialog.close} />}
      {mayEdit && dialog.name === 'duplicate' && (
        <ChannelDialog channel={undefined} original={channel} onClose={dialog.close} />
      )}
    </>
  );
}

interface ChannelButtonsProps {
  readonly channel: Channel;
  readonly open: DialogAddress['open'];
}

function ChannelButtons({ channel, open }: ChannelButtonsProps) {
  const { t } = useLingui();
  const acts = useChannelActs();
  const navigate = useNavigate();
  const mayEdit = useMay('channelEdit');
  const mayControl = useMay('channelControl');
  const isOn = channel.config.enable;
  const full = useChannelsFull();
  return (
    <>
      {mayControl && (
        <WithReason reason={isOn ? undefined : full}>
          <Button
            variant={isOn ? 'default' : 'filled'}
            leftSection={
              isOn ? <IconPlayerStopFilled size={16} aria-hidden /> : <IconPlayerPlayFilled size={16} aria-hidden />
            }
            onClick={() => (isOn ? acts.stop(channel) : acts.start(channel))}
          >
            {isOn ? <Trans>Stop</Trans> : <Trans>Start</Trans>}
          </Button>
        </WithReason>
      )}
      {mayEdit && (
        <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={() => open('edit')}>
          <Trans>Edit</Trans>
        </Button>
      )}
      {mayEdit && (
        <DropMenu
          label={t`More actions for ${channel.name}`}
          trigger={<IconDotsVertical size={17} aria-hidden />}
          items={() => [
            { key: 'duplicate', text: t`Duplicate`, icon: IconCopy, onSelect: () => open('duplicate') },
            {
              key: 'delete',
              text: t`Delete`,
              icon: IconTrash,
              isDangerous: true,
              onSelect: () => acts.remove(channel, () => void navigate(paths.channels)),
            },
          ]}
        />
      )}
    </>
  );
}
