import { useLingui } from '@lingui/react/macro';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from 'react-router-dom';
import { groupTypes } from '../../../../daemon/contract/permission.ts';
import { groupName } from '../../i18n/group-name.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { peopleQuery } from '../../shared/users/user-calls.ts';
import { GroupForm } from './GroupForm.tsx';

const DeleteGroupButton = deferredPart(() => import('./DeleteGroupButton.tsx'));
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
        actions={isCustom && <DeleteGroupButton group={group} />}
      />
      <GroupForm key={group.id} group={group} users={users} />
    </>
  );
}
