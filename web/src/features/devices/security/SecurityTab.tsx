import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { deviceApi } from '../../../api/calls.ts';
import { call } from '../../../api/client.ts';
import { groupName } from '../../../i18n/group-name.ts';
import { useFormat } from '../../../i18n/useFormat.ts';
import { deviceGroupPath } from '../../../lib/paths.ts';
import { useDeviceGroups } from '../../../shared/devices/groups-query.ts';
import { type People, peopleQuery } from '../../../shared/users/user-calls.ts';
import { Facts } from '../../../ui/layout/Facts.tsx';
import { Panel } from '../../../ui/layout/Panel.tsx';
import { Skeleton } from '../../../ui/layout/Skeleton.tsx';
import type { Column, Identified } from '../../../ui/table/column.ts';
import { TableGrid } from '../../../ui/table/TableGrid.tsx';
import { isForEveryone, type Level, type Origin, originOf, type Reach, reachOf } from './reach.ts';
import { securityChoices } from './security-form.ts';

type Row = Identified & Reach;

const levels: Record<Level, ReturnType<typeof msg>> = {
  manages: msg`See, control and manage it`,
  controls: msg`See and control it`,
  sees: msg`See it`,
};

const columns: readonly Column<Row>[] = [
  { key: 'user', title: msg`User`, minWidth: 160, cell: ({ user }) => <UserCell user={user} />, onCard: 'title' },
  { key: 'level', title: msg`Access`, width: 230, cell: ({ level }) => <LevelCell level={level} />, onCard: 'text' },
  { key: 'by', title: msg`Reason`, width: 300, cell: (reach) => <ReasonCell reach={reach} />, onCard: 'text' },
];

function UserCell({ user: { name, nick } }: Pick<Reach, 'user'>) {
  const text = nick === '' ? name : `${name} (${nick})`;
  return (
    <span translate="no" title={text}>
      {text}
    </span>
  );
}

function LevelCell({ level }: { level: Level }) {
  const { i18n } = useLingui();
  return i18n._(levels[level]);
}

function ReasonCell({ reach: { user, by } }: { reach: Reach }) {
  const { i18n } = useLingui();
  const group = groupName(i18n, user['group-id'], user['group-name']);
  if (by === 'admin') return <Trans>Administrators see everything</Trans>;
  return by === 'group' ? <Trans>Member of the group “{group}”</Trans> : <Trans>Chosen by name</Trans>;
}

interface SecurityTabProps {
  readonly device: Device;
  readonly edit: () => void;
}

/** Who sees and manages the device, in words, and where that is set. Only for those who may change it. */
export default function SecurityTab({ device, edit }: SecurityTabProps) {
  const { t } = useLingui();
  const people = useQuery(peopleQuery).data;
  const groups = useDeviceGroups();
  const ofHub = useQuery({
    queryKey: ['devices', 'global'],
    queryFn: async ({ signal }) => (await call(deviceApi.getGlobal, { signal })).security,
  }).data;
  if (people === undefined || ofHub === undefined) {
    return (
      <div aria-busy="true">
        <Skeleton height={260} />
      </div>
    );
  }
  const origin = originOf(device, groups, ofHub);
  const rows = reachOf(origin, people).map((reach): Row => ({ ...reach, id: reach.user.id }));
  return (
    <>
      <Panel
        title={<Trans>Visibility</Trans>}
        aside={
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPencil size={15} aria-hidden />}
            onClick={edit}
            aria-label={t`Edit who may see it`}
          >
            <Trans>Edit</Trans>
          </Button>
        }
      >
        <Facts
          facts={[
            { name: t`Visible to`, value: <VisibleTo origin={origin} people={people} />, isWide: true },
            { name: t`Source of this setting`, value: <SetWhere from={origin.from} />, isWide: true },
          ]}
        />
      </Panel>
      <Panel title={<Trans>Who sees and manages it</Trans>} isFlush>
        <TableGrid label={t`Users who see this device`} columns={columns} rows={rows} />
      </Panel>
    </>
  );
}

function SetWhere({ from }: Pick<Origin, 'from'>) {
  if (from === 'device') return <Trans>For this device alone</Trans>;
  if (from === 'hub') return <Trans>Inherited: as for all devices</Trans>;
  return (
    <Trans>
      Inherited from the group <Link to={deviceGroupPath(from.id)}>{from.name}</Link>
    </Trans>
  );
}

function VisibleTo({ origin: { masks }, people }: { origin: Origin; people: People }) {
  const { t, i18n } = useLingui();
  const { comma } = useFormat();
  if (isForEveryone(masks)) return <Trans>All users</Trans>;
  const { groups, users } = securityChoices(people);
  const names = [
    ...groups.filter(({ id }) => (masks['group-mask'] & id) !== 0).map(({ id, name }) => groupName(i18n, id, name)),
    ...users.filter(({ id }) => (masks['usr-mask'] & id) !== 0).map(({ name }) => name),
  ];
  if (names.length === 0) return <Trans>Administrators only</Trans>;
  return [t`Administrators`, ...names].join(comma);
}
