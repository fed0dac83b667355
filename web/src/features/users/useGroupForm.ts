import { useLingui } from '@lingui/react/macro';
import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { GroupFields, type User, type UserGroup } from '../../../../daemon/contract/users.ts';
import { useVariant } from '../../api/session.ts';
import { faultsOf } from '../../lib/schema-form.ts';
import { showToast } from '../../ui/toasts.ts';
import { shownOf } from './permission-set.ts';
import { type Beginning, type EditedForm, useEditedForm } from './useEditedForm.ts';
import { changeGroup } from './user-calls.ts';
import { freshPeople, type People } from './users-query.ts';

export interface GroupValues {
  readonly name: string;
  readonly desc: string;
  readonly permissions: number;
  /** Names in the order of the alphabet. */
  readonly users: readonly string[];
}

export interface GroupForm extends EditedForm<GroupValues> {
  readonly save: UseMutationResult<void, unknown, { readonly isForced: boolean }>;
  /** Drops what was changed here for what somebody else has saved. */
  readonly takeTheirs: () => Promise<void>;
}

export function useGroupForm(group: UserGroup, users: readonly User[]): GroupForm {
  const { t } = useLingui();
  const variant = useVariant();
  const edited = useEditedForm<GroupValues>({
    current: beginningOf(group, users),
    check: ({ users: names, permissions, ...values }) =>
      faultsOf(GroupFields, { ...values, permissions: shownOf(permissions, variant), users: [...names] }),
  });
  const { form, base, adopt, place } = edited;
  const adoptFresh = async () => {
    const people = await freshPeople();
    const now = people.groups.find(({ id }) => id === group.id);
    if (now !== undefined) adopt(beginningOf(now, people.users));
  };
  const save = useMutation({
    async mutationFn({ isForced }: { isForced: boolean }) {
      const changed = changeOf(base.values, form.getValues());
      await changeGroup({ id: group.id, ...changed, ...(!isForced && { revision: base.revision }) });
    },
    async onSuccess() {
      const { name } = form.getValues();
      showToast('success', t`“${name}” was saved.`);
      await adoptFresh();
    },
    onError: place,
  });
  const takeTheirs = async () => {
    await adoptFresh();
    save.reset();
  };
  return { ...edited, save, takeTheirs };
}

function beginningOf(
  { id, name, desc, permission, revision }: UserGroup,
  users: People['users'],
): Beginning<GroupValues> {
  const members = users.filter((user) => user['group-id'] === id).map((user) => user.name);
  return { revision, values: { name, desc, permissions: permission, users: members.toSorted() } };
}

/** What stayed as it was isn't sent: others may have changed it. */
function changeOf(before: GroupValues, { name, desc, permissions, users }: GroupValues) {
  const isMoved = users.join() !== before.users.join();
  return {
    ...(name !== before.name && { name }),
    ...(desc !== before.desc && { desc }),
    ...(permissions !== before.permissions && { permissions }),
    ...(isMoved && { users: [...users] }),
  };
}
