import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import {
  IconCircleDashed,
  IconCircleFilled,
  IconDotsVertical,
  IconLock,
  IconLockOpen,
  IconPencil,
  IconPlus,
  IconShield,
  IconTrash,
} from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { Firewall } from '../../../../daemon/contract/firewall.ts';
import { firewallModes } from '../../../../daemon/contract/firewall-words.ts';
import { limits } from '../../../../daemon/contract/limits.ts';
import { useTopic } from '../../api/live.ts';
import { useMay } from '../../api/session.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { MissingParts } from '../../shared/appliance/MissingParts.tsx';
import { followTrial } from '../../shared/confirmed-change/follow-trial.ts';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { Quantity } from '../../ui/data/Quantity.tsx';
import { type Look, LookMark } from '../../ui/data/StateMark.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { Choice, Choices } from '../../ui/form/Choices.tsx';
import { EmptyState } from '../../ui/layout/EmptyState.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import { confirm } from '../../ui/overlay/confirm.ts';
import { DropMenu } from '../../ui/overlay/DropMenu.tsx';
import { type DialogAddress, useDialogAddress } from '../../ui/overlay/dialog-address.ts';
import { WithReason } from '../../ui/overlay/WithReason.tsx';
import type { Column } from '../../ui/table/column.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import styles from './Firewall.module.css';
import { deleteRule, firewallQuery, firewallTopic, onTrial, type RuleRow, rowOf, setMode } from './firewall-calls.ts';
import { modeTexts, protocolTexts } from './firewall-text.ts';
import { ListeningPanel } from './ListeningPanel.tsx';

const RuleDialog = deferredPart(() => import('./RuleDialog.tsx'));

const looks: Readonly<Record<'on' | 'off', Look>> = {
  on: { tone: 'live', icon: IconCircleFilled, text: msg`Enabled` },
  off: { tone: 'off', icon: IconCircleDashed, text: msg`Disabled` },
};

const columns: readonly Column<RuleRow>[] = [
  {
    key: 'port',
    title: msg`Port or range`,
    width: 150,
    cell: ({ port }) => <code>{port}</code>,
    sortValue: ({ port }) => Number.parseInt(port, 10),
    searchText: ({ port }) => port,
    isFixed: true,
    onCard: 'title',
  },
  {
    key: 'protocol',
    title: msg`Protocol`,
    width: 120,
    cell: ({ protocol }) => protocolTexts[protocol],
    sortValue: ({ protocol }) => protocol,
  },
  {
    key: 'state',
    title: msg`State`,
    width: 130,
    cell: ({ enabled }) => <LookMark look={looks[enabled ? 'on' : 'off']} />,
    sortValue: ({ enabled }) => (enabled ? 0 : 1),
    onCard: 'state',
  },
  {
    key: 'remark',
    title: msg`Remark`,
    minWidth: 160,
    priority: 1,
    cell: ({ remark }) => <span className={styles.remark}>{remark}</span>,
    sortValue: ({ remark }) => remark,
    searchText: ({ remark }) => remark,
    onCard: 'line',
  },
  {
    key: 'packets',
    title: msg`Packets`,
    width: 120,
    isRight: true,
    priority: 2,
    cell: (rule) => <PacketsCell rule={rule} />,
    sortValue: ({ packets }) => packets,
  },
  {
    key: 'bytes',
    title: msg`Data`,
    width: 120,
    isRight: true,
    priority: 2,
    cell: (rule) => <BytesCell rule={rule} />,
    sortValue: ({ bytes }) => bytes,
  },
];

function PacketsCell({ rule }: { rule: RuleRow }) {
  return useFormat().number(rule.packets);
}

function BytesCell({ rule }: { rule: RuleRow }) {
  return <Quantity amount={useFormat().bytes(rule.bytes)} />;
}

/** Which ports the WAN port of an appliance lets in. */
export default function FirewallPage() {
  const { t } = useLingui();
  useTopic(firewallTopic, true);
  const firewall = useSuspenseQuery(firewallQuery).data;
  const mayEdit = useMay('systemEdit') && firewall.missing.length === 0;
  const { name, id, open, close } = useDialogAddress();
  const { rules, mode } = firewall;
  const rows = useMemo(() => rules.map(rowOf), [rules]);
  const actions = useCallback((rule: RuleRow) => <RuleMenu rule={rule} open={open} />, [open]);
  const edited = name === 'edit' ? rules.find((rule) => rule.id === id) : undefined;
  const { count } = limits.firewall;
  const isFull = rules.length >= count;
  const add = mayEdit && (
    <WithReason reason={isFull ? t`Limit of ${count} rules reached. Delete one first.` : undefined}>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => open('add')}>
        <Trans>Add rule</Trans>
      </Button>
    </WithReason>
  );
  return (
    <>
      <PageHeader title={t`Firewall`} actions={add} />
      <div className={styles.page}>
        <MissingParts missing={firewall.missing} />
        <StateBanner firewall={firewall} />
        <ModePanel firewall={firewall} mayEdit={mayEdit} />
        <ListeningPanel ports={firewall.listening} mayAdd={mayEdit && mode === firewallModes.rules && !isFull} />
      </div>
      <DataTable
        id="firewall-rules"
        label={t`Firewall rules`}
        columns={columns}
        items={rows}
        {...(mayEdit && { rowActions: actions })}
        actionsWidth={48}
        empty={
          <EmptyState icon={IconShield} title={<Trans>No rules yet</Trans>} action={add}>
            <Trans>A rule opens a port or a range. Rules are in effect in the mode “Ports by rules”.</Trans>
          </EmptyState>
        }
      />
      {mayEdit && (name === 'add' || edited !== undefined) && (
        <RuleDialog key={edited?.id ?? 'new'} rule={edited} onClose={close} />
      )}
    </>
  );
}

function StateBanner({ firewall: { state, reason } }: { firewall: Firewall }) {
  if (state === 'failed') {
    return (
      <Banner tone="fault" title={<Trans>The system does not accept these rules; those before are in effect</Trans>}>
        {reason}
      </Banner>
    );
  }
  if (state !== 'damaged') return null;
  return (
    <Banner tone="fault" title={<Trans>Stored rules are damaged, so only the console is open</Trans>}>
      <Trans>The next change removes the damaged rules. Choose the mode again, and add what is missing.</Trans>
    </Banner>
  );
}

function ModePanel({ firewall, mayEdit }: { firewall: Firewall; mayEdit: boolean }) {
  const { t, i18n } = useLingui();
  const format = useFormat();
  const { mode, wan, revision, refused } = firewall;
  const ask = ({ mode: next, name, consequence }: (typeof modeTexts)[number]) => {
    const words = i18n._(name);
    confirm({
      title: t`Change the firewall to “${words}”?`,
      consequence: i18n._(consequence),
      verb: t`Change`,
      isDangerous: next === firewallModes.closed,
      run: async () => {
        const answer = await setMode({ mode: next, revision, ...onTrial });
        if (followTrial('firewall', { ...answer, addresses: [] })) showToast('success', t`The firewall was changed.`);
      },
    });
  };
  const interfaces = wan.join(format.comma);
  const packets = format.number(refused.packets);
  return (
    <Panel title={<Trans>Ports open on ETH2</Trans>}>
      <Choices label={t`Mode of the firewall`}>
        {modeTexts.map((one) => (
          <Choice
            key={one.mode}
            group="firewall-mode"
            isChosen={one.mode === mode}
            isDisabled={!mayEdit}
            onChoose={() => ask(one)}
            picture={
              one.mode === firewallModes.closed ? (
                <IconLock size={20} aria-hidden />
              ) : (
                <IconLockOpen size={20} aria-hidden />
              )
            }
            name={i18n._(one.name)}
            line={i18n._(one.line)}
            status={null}
          />
        ))}
      </Choices>
      <p className={styles.hint}>
        {wan.length === 0 ? (
          <Trans>This machine has no ETH2, so nothing is filtered.</Trans>
        ) : (
          <Trans>
            ETH2 is {interfaces} in the system; other ports are not filtered. Refused so far: {packets} packets.
          </Trans>
        )}
      </p>
    </Panel>
  );
}

function RuleMenu({ rule, open }: { rule: RuleRow; open: DialogAddress['open'] }) {
  const { t } = useLingui();
  const { id, port } = rule;
  const remove = () =>
    confirm({
      title: t`Delete the rule for ${port}?`,
      consequence: t`In the mode “Ports by rules”, connections to these ports end at once.`,
      verb: t`Delete rule`,
      isDangerous: true,
      run: async () => {
        const answer = await deleteRule({ id, ...onTrial });
        if (followTrial('firewall', { ...answer, addresses: [] }))
          showToast('success', t`The rule for ${port} was deleted.`);
      },
    });
  return (
    <DropMenu
      label={t`More actions for ${port}`}
      trigger={<IconDotsVertical size={16} stroke={1.7} aria-hidden />}
      items={() => [
        { key: 'edit', text: t`Edit`, icon: IconPencil, onSelect: () => open('edit', id) },
        { key: 'delete', text: t`Delete`, icon: IconTrash, isDangerous: true, onSelect: remove },
      ]}
    />
  );
}
