import { msg } from '@lingui/core/macro';
import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button, Switch } from '@mantine/core';
import { IconCopy, IconDotsVertical, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { Channel, ChannelOutput } from '../../../../daemon/contract/channels.ts';
import { connectionStates, isOnAir } from '../../../../daemon/contract/streams.ts';
import { useHas, useMay } from '../../api/session.ts';
import { faultText } from '../../i18n/result-text.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { ChannelDecoders, DeviceChoiceDialog } from '../../shared/devices/channel/device-parts.ts';
import { outputsQuery, reachableAddress } from '../../shared/outputs/output-calls.ts';
import { useDeleteOutput } from '../../shared/outputs/useDeleteOutput.ts';
import { serversQuery } from '../../shared/servers/server-calls.ts';
import { RateCell } from '../../shared/streams/RateCell.tsx';
import { outputLook } from '../../shared/streams/state-look.ts';
import { Address } from '../../ui/data/Address.tsx';
import { LookMark } from '../../ui/data/StateMark.tsx';
import { showToast, showUndo } from '../../ui/feedback/toasts.ts';
import { Panel } from '../../ui/layout/Panel.tsx';
import { DropMenu } from '../../ui/overlay/DropMenu.tsx';
import type { DialogAddress } from '../../ui/overlay/dialog-address.ts';
import type { Column } from '../../ui/table/column.ts';
import { TableGrid } from '../../ui/table/TableGrid.tsx';
import styles from './ChannelDetailPage.module.css';
import { enableOutput } from './channel-calls.ts';
import { CountCell, RunTimeCell } from './channel-cells.tsx';
import { connectionReasonText } from './connection-reason.ts';
import { LinkCell } from './quality/LinkCell.tsx';

const OutputDialog = deferredPart(() => import('../../shared/outputs/OutputDialog.tsx'));
const ServerOutputDialog = deferredPart(() => import('../../shared/servers/ServerOutputDialog.tsx'));

function Destination({ output: { name, addr, clients } }: { output: ChannelOutput }) {
  const address = reachableAddress(addr, location.hostname);
  return (
    <span className={styles.destination} title={`${name}\n${address}`}>
      <span className={styles.whole}>{name}</span>
      <span className={styles.faint}>
        <Address text={address} />
        {clients !== undefined && (
          <>
            {' · '}
            <Plural value={clients} _0="none connected" one="# connected" other="# connected" />
          </>
        )}
      </span>
    </span>
  );
}

const columns: readonly Column<ChannelOutput>[] = [
  {
    key: 'state',
    title: msg`State`,
    // Grows with the panel, because the reason of a failure is below the state.
    minWidth: 150,
    cell: (output) => <OutputState output={output} />,
    onCard: 'state',
  },
  {
    key: 'name',
    title: msg`Output`,
    minWidth: 145,
    cell: (output) => <Destination output={output} />,
    onCard: 'title',
  },
  {
    key: 'link',
    title: msg`Link quality`,
    width: 232,
    isRight: true,
    cell: ({ id, name, report }) => <LinkCell kind="output" id={id} name={name} report={report} />,
  },
  {
    key: 'rate',
    title: msg`Bitrate`,
    width: 96,
    priority: 1,
    isRight: true,
    cell: (output) => <RateCell kbps={output.enable ? output.kbps : undefined} />,
  },
  {
    key: 'time',
    title: msg`Uptime`,
    width: 104,
    isRight: true,
    cell: (output) => (
      <RunTimeCell
        seconds={output['conn-state'] === connectionStates.connected ? output['living-time-s'] : undefined}
      />
    ),
  },
  {
    key: 'reconnects',
    title: msg`Reconnects`,
    width: 98,
    isRight: true,
    cell: (output) => <CountCell count={output.reconnects} />,
  },
  {
    key: 'skipped',
    title: msg`Dropped`,
    width: 80,
    isRight: true,
    cell: (output) => <CountCell count={output.skipped} />,
  },
];

interface OutputsPanelProps {
  readonly channel: Channel;
  readonly dialog: DialogAddress;
}

export function OutputsPanel({ channel, dialog }: OutputsPanelProps) {
  const { t } = useLingui();
  const mayEdit = useMay('ioEdit');
  const mayControl = useMay('channelControl');
  const { list } = channel.outputs;
  const { open } = dialog;
  const { id: channelId } = channel;
  const actions = useCallback(
    (output: ChannelOutput) => <OutputActions channelId={channelId} output={output} open={open} />,
    [channelId, open],
  );
  const isAboutOutput = dialog.name === 'edit-output' || dialog.name === 'duplicate-output';
  const known = useQuery({ ...outputsQuery, enabled: isAboutOutput }).data;
  const about = known?.find((output) => output.id === dialog.id);
  const edited = dialog.name === 'edit-output' ? about : undefined;
  const original = dialog.name === 'duplicate-output' ? about : undefined;
  const seesDevices = [useHas('devices'), useMay('deviceView')].every(Boolean);
  const mayConnect = [seesDevices, useMay('deviceControl'), useMay('channelEdit')].every(Boolean);
  const hasServers = (useQuery({ ...serversQuery, enabled: mayEdit }).data?.length ?? 0) > 0;
  const add = mayEdit && (
    <span className={styles.headActions}>
      {mayConnect && (
        <Button size="xs" variant="default" onClick={() => open('decoder')}>
          <Trans>Send to a decoder</Trans>
        </Button>
      )}
      {hasServers && (
        <Button size="xs" variant="default" onClick={() => open('server-output')}>
          <Trans>From a destination</Trans>
        </Button>
      )}
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => open('add-output')}
      >
        <Trans>Add output</Trans>
      </Button>
    </span>
  );
  return (
    <Panel title={<Trans>Outputs</Trans>} aside={add} isFlush>
      {list.length === 0 ? (
        <p className={styles.quiet}>
          <Trans>No outputs yet. An output sends the stream to a server or network address.</Trans>
        </p>
      ) : (
        <TableGrid
          label={t`Outputs of this channel`}
          columns={columns}
          rows={list}
          {...((mayEdit || mayControl) && { rowActions: actions })}
          actionsWidth={92}
        />
      )}
      {seesDevices && <ChannelDecoders channel={channelId} mayStop={mayConnect} />}
      {mayConnect && dialog.name === 'decoder' && (
        <DeviceChoiceDialog channel={channel} dir="output" losers={undefined} onClose={dialog.close} />
      )}
      {mayEdit && (dialog.name === 'add-output' || edited !== undefined || original !== undefined) && (
        <OutputDialog
          key={(edited ?? original)?.id ?? 'new'}
          output={edited}
          original={original}
          channel={channelId}
          isOnAir={isOnAir(channel.state)}
          onClose={dialog.close}
        />
      )}
      {mayEdit && dialog.name === 'server-output' && (
        <ServerOutputDialog server={undefined} channel={channelId} onClose={dialog.close} />
      )}
    </Panel>
  );
}

/** The state, and below it the reason and the time of the next attempt, which are never truncated. */
function OutputState({ output }: { output: ChannelOutput }) {
  const { t, i18n } = useLingui();
  const look = outputLook(output);
  const reason = output.enable ? connectionReasonText(i18n, output) : undefined;
  const state = output['conn-state'];
  // Keeps the room of its reason during each attempt, so that the page does not move.
  const isTrying = output.enable && state !== connectionStates.connected && state !== connectionStates.waiting;
  const seconds = Math.ceil((output['retry-in-ms'] ?? 0) / 1000);
  const retry = seconds > 0 ? t`retrying in ${seconds} s` : undefined;
  const below = [reason, retry].filter((part) => part !== undefined).join(' · ');
  return (
    <span className={styles.destination} title={reason}>
      <span className={styles.whole}>
        <LookMark look={look} />
      </span>
      {(below !== '' || isTrying) && (
        <span className={`${styles.faint} ${styles.whole}`} data-trying={isTrying}>
          {below}
        </span>
      )}
    </span>
  );
}

interface OutputActionsProps {
  readonly channelId: number;
  readonly output: ChannelOutput;
  readonly open: DialogAddress['open'];
}

function OutputActions({ channelId, output, open }: OutputActionsProps) {
  const { t, i18n } = useLingui();
  const mayEdit = useMay('ioEdit');
  const mayControl = useMay('channelControl');
  const remove = useDeleteOutput({ isKnownInUse: true });
  const { name, id } = output;
  const code = `enable-output-${id}`;
  const toggle = (enable: boolean) =>
    void enableOutput(channelId, id, enable)
      .then(() =>
        showUndo(
          enable ? t`Sending to “${name}” started.` : t`Sending to “${name}” stopped.`,
          () => toggle(!enable),
          code,
        ),
      )
      .catch((error: unknown) => showToast('error', `${name}: ${faultText(i18n, error)}`, code));
  return (
    <span className={styles.rowActions}>
      {mayControl && (
        <Switch
          size="sm"
          checked={output.enable}
          aria-label={t`Send to ${name}`}
          onChange={(event) => toggle(event.currentTarget.checked)}
        />
      )}
      {mayEdit && (
        <DropMenu
          label={t`More actions for ${name}`}
          trigger={<IconDotsVertical size={16} stroke={1.7} aria-hidden />}
          items={() => [
            { key: 'edit', text: t`Edit`, icon: IconPencil, onSelect: () => open('edit-output', id) },
            { key: 'duplicate', text: t`Duplicate`, icon: IconCopy, onSelect: () => open('duplicate-output', id) },
            { key: 'delete', text: t`Delete`, icon: IconTrash, isDangerous: true, onSelect: () => remove(output) },
          ]}
        />
      )}
    </span>
  );
}
