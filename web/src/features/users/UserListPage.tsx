import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Stack } from '@mantine/core';
import { IconDotsVertical, IconKey, IconPencil, IconPlus, IconTrash, IconUsers } from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { Link } from 'react-router-dom';
import { limits } from '../../../../daemon/contract/limits.ts';
import type { User } from '../../../../daemon/contract/users.ts';
import { useSession } from '../../api/session.ts';
import { groupName } from '../../i18n/group-name.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { groupPath } from '../../lib/paths.ts';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { deleteUser, isRoot, peopleQuery } from '../../shared/users/user-calls.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../ui/layout/EmptyState.tsx';
import { confirm } from '../../ui/overlay/confirm.ts';
import { DropMenu } from '../../ui/overlay/DropMenu.tsx';
import { type DialogAddress, useDialogAddress } from '../../ui/overlay/dialog-address.ts';
import { WithReason } from '../../ui/overlay/WithReason.tsx';
import { type Column, nameColumn } from '../../ui/table/column.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { GroupCards } from './GroupCards.tsx';
import styles from './UserListPage.module.css';

const UserDialog = deferredPart(() => import('./UserDialog.tsx'));
const ResetPasswordDialog = deferredPart(() => import('./ResetPasswordDialog.tsx'));
const GroupDialog = deferredPart(() => import('./GroupDialog.tsx'));

const columns: readonly Column<User>[] = [
  { ...nameColumn, title: msg`Username` },
  {
    key: 'nick',
    title: msg`Display name`,
    cell: (user) => user.nick || '–',
    sortValue: (user) => user.nick,
    searchText: (user) => user.nick,
  },
  {
    key: 'group',
    title: msg`Group`,
    cell: (user) => <GroupCell user={user} />,
    sortValue: (user) => user['group-name'],
    searchText: (user) => user['group-name'],
  },
];

/** The group of a user, as a link to its page. */
function GroupCell({ user: { 'group-id': id, 'group-name': name } }: { user: User }) {
  const { i18n } = useLingui();
  return (
    <Link className={styles.link ?? ''} to={groupPath(id)}>
      {groupName(i18n, id, name)}
    </Link>
  );
}

export default function UserListPage() {
  const { t } = useLingui();
  const dialog = useDialogAddress();
  const { users, groups } = useSuspenseQuery(peopleQuery).data;
  const { open } = dialog;
  const actions = useCallback((user: User) => <UserMenu user={user} open={open} />, [open]);
  const about = users.find((user) => user.id === dialog.id);
  const full =
    users.length >= limits.users ? t`Limit of ${limits.users} users reached. Delete one to add another.` : undefined;
  const add = (
    <WithReason reason={full}>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => open('add')}>
        <Trans>Add user</Trans>
      </Button>
    </WithReason>
  );
  return (
    <>
      <PageHeader title={t`Users and groups`} actions={add} />
      <Stack gap={14}>
        {full && <Banner tone="info" title={full} />}
        <DataTable
          id="users"
          label={t`Users`}
          columns={columns}
          items={users}
          rowActions={actions}
          actionsWidth={48}
          empty={<EmptyState icon={IconUsers} title={<Trans>No users yet</Trans>} action={add} />}
        />
        <GroupCards groups={groups} onAdd={() => open('add-group')} />
      </Stack>
      {(dialog.name === 'add' || (dialog.name === 'edit' && about !== undefined)) && (
        <UserDialog
          key={about?.id ?? 'new'}
          user={dialog.name === 'edit' ? about : undefined}
          groups={groups}
          onClose={dialog.close}
        />
      )}
      {dialog.name === 'password' && about !== undefined && (
        <ResetPasswordDialog userName={about.name} onClose={dialog.close} />
      )}
      {dialog.name === 'add-group' && <GroupDialog groups={groups} onClose={dialog.close} />}
    </>
  );
}

function UserMenu({ user, open }: { user: User; open: DialogAddress['open'] }) {
  const { t } = useLingui();
  const self = useSession();
  const { id, name } = user;
  const remove = () =>
    confirm({
      title: t`Delete user “${name}”?`,
      consequence: t`All sessions and access tokens of the user end immediately. Log entries about the user stay.`,
      verb: t`Delete user`,
      isDangerous: true,
      run: () => deleteUser({ name }),
      done: t`“${name}” was deleted.`,
    });
  const isKept = isRoot(user) || id === self.id;
  return (
    <DropMenu
      label={t`More actions for ${name}`}
      trigger={<IconDotsVertical size={16} stroke={1.7} aria-hidden />}
      items={() => [
        { key: 'edit', text: t`Edit`, icon: IconPencil, onSelect: () => open('edit', id) },
        // Changing one's own password requires the old one; that is on the profile page.
        ...(id === self.id
          ? []
          : [{ key: 'password', text: t`Set password`, icon: IconKey, onSelect: () => open('password', id) }]),
        ...(isKept ? [] : [{ key: 'delete', text: t`Delete`, icon: IconTrash, isDangerous: true, onSelect: remove }]),
      ]}
    />
  );
}
