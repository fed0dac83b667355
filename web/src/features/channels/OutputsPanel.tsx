import { msg } from '@lingui/core/macro';
import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button, Switch } from '@mantine/core';
import { IconDotsVertical, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useCallback, useMemo } from 'react';
import type { Channel, ChannelOutput } from '../../../../daemon/contract/channels.ts';
import { useMay } from '../../api/session.ts';
import { faultText } from '../../i18n/result-text.ts';
import { lazyPart } from '../../lib/lazy-part.ts';
import { outputsQuery, reachableAddress } from '../../shared/outputs/outputs-query.ts';
import { useOutputActs } from '../../shared/outputs/useOutputActs.ts';
import { serversQuery } from '../../shared/servers/servers-query.ts';
import { outputLook } from '../../shared/streams/state-look.ts';
import { Address } from '../../ui/data/Address.tsx';
import { StateMark } from '../../ui/data/StateMark.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { Panel } from '../../ui/layout/Panel.tsx';
import { DropMenu } from '../../ui/overlay/DropMenu.tsx';
import type { DialogAddress } from '../../ui/overlay/dialog-address.ts';
import type { Column } from '../../ui/table/column.ts';
import { TableGrid } from '../../ui/table/TableGrid.tsx';
import styles from './ChannelDetailPage.module.css';
import { enableOutput } from './channel-calls.ts';
import { CountCell, RateCell, RunTimeCell } from './channel-cells.tsx';
import { connectionReasonText } from './connection-reason.ts';
import { LinkCell } from './quality/LinkCell.tsx';

const OutputDialog = lazyPart(() => import('../../shared/outputs/OutputDialog.tsx'));
const ServerOutputDialog = lazyPart(() => import('../../shared/servers/ServerOutputDialog.tsx'));

function Destination({ output: { name, addr, clients } }: { output: ChannelOutput }) {
  const address = reachableAddress(addr, location.hostname);
  return (
    <span className={styles.destination} title={address}>
      <span>{name}</span>
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
  { key: 'state', title: msg`State`, width: 228, cell: (output) => <OutputState output={output} />, onCard: 'state' },
  {
    key: 'name',
    title: msg`Output`,
    cell: (output) => <Destination output={output} />,
    onCard: 'title',
  },
  {
    key: 'link',
    title: msg`Link quality`,
    width: 184,
    isRight: true,
    cell: ({ id, name, report }) => <LinkCell kind="output" id={id} name={name} report={report} />,
  },
  { key: 'rate', title: msg`Bit rate`, width: 108, isRight: true, cell: (output) => <RateCell kbps={output.kbps} /> },
  {
    key: 'time',
    title: msg`Run time`,
    width: 104,
    isRight: true,
    cell: (output) => <RunTimeCell seconds={output['living-time-s']} />,
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
    title: msg`Skipped`,
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
  const edit = useCallback((output: ChannelOutput) => open('edit-output', output.id), [open]);
  const actions = useCallback(
    (output: ChannelOutput) => <OutputActions channelId={channelId} output={output} onEdit={edit} />,
    [channelId, edit],
  );
  const known = useQuery({ ...outputsQuery, enabled: dialog.name === 'edit-output' }).data;
  const edited = dialog.name === 'edit-output' ? known?.find((output) => output.id === dialog.id) : undefined;
  const hasServers = (useQuery({ ...serversQuery, enabled: mayEdit }).data?.length ?? 0) > 0;
  const add = mayEdit && (
    <span className={styles.headActions}>
      {hasServers && (
        <Button variant="default" size="compact-sm" onClick={() => open('server-output')}>
          <Trans>From a server</Trans>
        </Button>
      )}
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => open('add-output')}
      >
        <Trans>Add output</Trans>
      </Button>
    </span>
  );
  const label = t`Outputs of this channel`;
  return (
    <Panel title={<Trans>Outputs</Trans>} aside={add} isFlush>
      {list.length === 0 ? (
        <p className={styles.quiet}>
          <Trans>No outputs yet. An output sends the stream on to another server or into the network.</Trans>
        </p>
      ) : (
        <TableGrid
          label={label}
          columns={columns}
          rows={list}
          getId={getId}
          {...((mayEdit || mayControl) && { rowActions: actions })}
          actionsWidth={104}
        />
      )}
      <Suspense fallback={null}>
        {mayEdit && (dialog.name === 'add-output' || edited !== undefined) && (
          <OutputDialog key={edited?.id ?? 'new'} output={edited} channel={channelId} onClose={dialog.close} />
        )}
        {mayEdit && dialog.name === 'server-output' && (
          <ServerOutputDialog server={undefined} channel={channelId} onClose={dialog.close} />
        )}
      </Suspense>
    </Panel>
  );
}

function getId(output: ChannelOutput): number {
  return output.id;
}

/** The state, and below it the time of the next attempt and the reason; only the reason may be truncated. */
function OutputState({ output }: { output: ChannelOutput }) {
  const { t, i18n } = useLingui();
  const look = outputLook(output);
  const reason = output.enable ? connectionReasonText(i18n, output) : undefined;
  const seconds = Math.ceil((output['retry-in-ms'] ?? 0) / 1000);
  const retry = seconds > 0 ? t`again in ${seconds} s` : undefined;
  const below = [retry, reason].filter((part) => part !== undefined).join(' · ');
  return (
    <span className={styles.destination} title={reason}>
      <span>
        <StateMark tone={look.tone} icon={look.icon}>
          {i18n._(look.text)}
        </StateMark>
      </span>
      {below !== '' && <span className={styles.faint}>{below}</span>}
    </span>
  );
}

interface OutputActionsProps {
  readonly channelId: number;
  readonly output: ChannelOutput;
  readonly onEdit: (output: ChannelOutput) => void;
}

function OutputActions({ channelId, output, onEdit }: OutputActionsProps) {
  const { t, i18n } = useLingui();
  const mayEdit = useMay('ioEdit');
  const mayControl = useMay('channelControl');
  const { removeFromChannel } = useOutputActs();
  const { name, id } = output;
  const toggle = (enable: boolean) =>
    void enableOutput(channelId, id, enable).catch((error: unknown) =>
      showToast('error', `${name}: ${faultText(i18n, error)}`, `enable-output-${id}`),
    );
  const items = useMemo(
    () => () => [
      { key: 'edit', text: t`Edit`, icon: IconPencil, onSelect: () => onEdit(output) },
      { key: 'delete', text: t`Delete`, icon: IconTrash, isDangerous: true, onSelect: () => removeFromChannel(output) },
    ],
    [t, output, onEdit, removeFromChannel],
  );
  return (
    <span className={styles.headActions}>
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
          items={items}
        />
      )}
    </span>
  );
}
