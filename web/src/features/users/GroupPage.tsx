import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from 'react-router-dom';
import { groupTypes } from '../../../../daemon/contract/permission.ts';
import type { UserGroup } from '../../../../daemon/contract/users.ts';
import { groupName } from '../../i18n/group-name.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { paths } from '../../lib/paths.ts';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { deleteGroup, peopleQuery } from '../../shared/users/user-calls.ts';
import { releaseForms } from '../../ui/form/unsaved.ts';
import { confirm } from '../../ui/overlay/confirm.ts';
import { GroupForm } from './GroupForm.tsx';

const NotFoundPage = deferredPart(() => import('../../shared/page/NotFoundPage.tsx'));

export default function GroupPage() {
  const { i18n } = useLingui();
  const { groupId } = useParams();
  const { users, groups } = useSuspenseQuery(peopleQuery).data;
  const group = groups.find(({ id }) => String(id) === groupId);
  if (group === undefined) return <NotFoundPage />;
  const isCustom = group.type === groupTypes.custom;
  return (
    <>
      <PageHeader
        title={groupName(i18n, group.id, group.name)}
        isObject
        actions={isCustom && <DeleteButton group={group} />}
      />
      <GroupForm key={group.id} group={group} users={users} />
    </>
  );
}

function DeleteButton({ group: { id, name } }: { group: UserGroup }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const remove = () =>
    confirm({
      title: t`Delete group “${name}”?`,
      consequence: t`Its members become viewers. Members who lose a permission must sign in again.`,
      verb: t`Delete group`,
      isDangerous: true,
      async run() {
        await deleteGroup(id);
        // Values typed for the group are of no more use.
        releaseForms();
        void navigate(paths.users, { replace: true });
      },
      done: t`“${name}” was deleted.`,
    });
  return (
    <Button variant="default" leftSection={<IconTrash size={16} aria-hidden />} onClick={remove}>
      <Trans>Delete</Trans>
    </Button>
  );
}
