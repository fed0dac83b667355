import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import {
  IconCircleDashed,
  IconCircleFilled,
  IconDotsVertical,
  IconPencil,
  IconPlus,
  IconRoute2,
  IconTrash,
} from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { limits } from '../../../../daemon/contract/limits.ts';
import { useMay } from '../../api/session.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { MissingParts } from '../../shared/appliance/MissingParts.tsx';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { type Look, LookMark } from '../../ui/data/StateMark.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { EmptyState } from '../../ui/layout/EmptyState.tsx';
import { confirm } from '../../ui/overlay/confirm.ts';
import { DropMenu } from '../../ui/overlay/DropMenu.tsx';
import { type DialogAddress, useDialogAddress } from '../../ui/overlay/dialog-address.ts';
import { WithReason } from '../../ui/overlay/WithReason.tsx';
import type { Column } from '../../ui/table/column.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { interfaceText } from './interface-text.ts';
import { deleteRoute, routesQuery } from './route-calls.ts';
import { type RouteRow, rowOf } from './route-form.ts';

const RouteDialog = deferredPart(() => import('./RouteDialog.tsx'));

const looks: Readonly<Record<'active' | 'waiting', Look>> = {
  active: { tone: 'live', icon: IconCircleFilled, text: msg`In use` },
  waiting: { tone: 'off', icon: IconCircleDashed, text: msg`Not connected` },
};

const columns: readonly Column<RouteRow>[] = [
  {
    key: 'destination',
    title: msg`Destination address`,
    minWidth: 160,
    cell: ({ destination }) => <code>{destination}</code>,
    sortValue: ({ destination }) => destination,
    searchText: ({ destination }) => destination,
    isFixed: true,
    onCard: 'title',
  },
  {
    key: 'state',
    title: msg`State`,
    width: 150,
    cell: ({ active }) => <LookMark look={looks[active ? 'active' : 'waiting']} />,
    sortValue: ({ active }) => (active ? 0 : 1),
    onCard: 'state',
  },
  {
    key: 'gateway',
    title: msg`Gateway`,
    minWidth: 140,
    priority: 1,
    cell: ({ gateway }) => <code>{gateway}</code>,
    sortValue: ({ gateway }) => gateway,
    searchText: ({ gateway }) => gateway,
    onCard: 'line',
  },
  {
    key: 'interface',
    title: msg`Interface`,
    width: 150,
    cell: (route) => <InterfaceCell route={route} />,
    sortValue: (route) => route.interface,
  },
];

function InterfaceCell({ route }: { route: RouteRow }) {
  const { i18n } = useLingui();
  return interfaceText((text) => i18n._(text), route.interface);
}

export default function RouteListPage() {
  const { t } = useLingui();
  const mayEdit = useMay('systemEdit');
  const { name, id, open, close } = useDialogAddress();
  const { list: routes, interfaces, missing } = useSuspenseQuery(routesQuery).data;
  const rows = useMemo(() => routes.map(rowOf), [routes]);
  const actions = useCallback((route: RouteRow) => <RouteMenu route={route} open={open} />, [open]);
  const edited = name === 'edit' ? routes.find((route) => rowOf(route).id === id) : undefined;
  const full =
    routes.length >= limits.routes ? t`Limit of ${limits.routes} routes reached. Delete one first.` : undefined;
  const add = mayEdit && missing.length === 0 && (
    <WithReason reason={full}>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => open('add')}>
        <Trans>Add route</Trans>
      </Button>
    </WithReason>
  );
  return (
    <>
      <PageHeader title={t`Network routes`} actions={add} />
      <MissingParts missing={missing} />
      <DataTable
        id="routes"
        label={t`Network routes`}
        columns={columns}
        items={rows}
        {...(mayEdit && { rowActions: actions })}
        actionsWidth={48}
        empty={
          <EmptyState icon={IconRoute2} title={<Trans>No routes yet</Trans>} action={add}>
            <Trans>
              A route leads to a network behind another router than the default gateway, which is set for each port on
              the Network page.
            </Trans>
          </EmptyState>
        }
      />
      {mayEdit && (name === 'add' || edited !== undefined) && (
        <RouteDialog key={edited?.id ?? 'new'} route={edited} routes={routes} interfaces={interfaces} onClose={close} />
      )}
    </>
  );
}

function RouteMenu({ route, open }: { route: RouteRow; open: DialogAddress['open'] }) {
  const { t } = useLingui();
  const { id, destination } = route;
  const remove = () =>
    confirm({
      title: t`Delete the route to ${destination}?`,
      consequence: t`The hub then reaches this network by its default gateway, or not at all. Connections with it may break.`,
      verb: t`Delete route`,
      isDangerous: true,
      run: async () => {
        const [{ followTrial }, answer] = await Promise.all([
          import('../../shared/confirmed-change/follow-trial.ts'),
          deleteRoute({ id: destination }),
        ]);
        if (followTrial('routes', answer)) showToast('success', t`The route to ${destination} was deleted.`);
      },
    });
  return (
    <DropMenu
      label={t`More actions for ${destination}`}
      trigger={<IconDotsVertical size={16} stroke={1.7} aria-hidden />}
      items={() => [
        { key: 'edit', text: t`Edit`, icon: IconPencil, onSelect: () => open('edit', id) },
        { key: 'delete', text: t`Delete`, icon: IconTrash, isDangerous: true, onSelect: remove },
      ]}
    />
  );
}
