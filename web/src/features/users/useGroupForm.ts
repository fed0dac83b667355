import { useLingui } from '@lingui/react/macro';
import { GroupFields } from '../../../../daemon/contract/user-fields.ts';
import type { User, UserGroup } from '../../../../daemon/contract/users.ts';
import { useVariant } from '../../api/session.ts';
import { shownOf } from '../../shared/users/permission-set.ts';
import { changeGroup, type People, peopleQuery } from '../../shared/users/user-calls.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import { faultsOf } from '../../ui/form/schema-form.ts';
import { type Act, useAct } from '../../ui/form/useAct.ts';
import { type EditedForm, useEditedForm } from '../../ui/form/useEditedForm.ts';

export interface GroupValues {
  readonly name: string;
  readonly desc: string;
  readonly permissions: number;
  /** Names in alphabetical order. */
  readonly users: readonly string[];
}

export interface GroupForm extends Omit<EditedForm<GroupValues, GroupValues>, 'base'> {
  /** The initial values of the form. */
  readonly base: GroupValues;
  readonly isDirty: boolean;
  readonly save: Act<GroupValues>;
}

export function useGroupForm(group: UserGroup, users: readonly User[]): GroupForm {
  const { t } = useLingui();
  const variant = useVariant();
  const now = valuesOf(group, users);
  const { base = now, ...edited } = useEditedForm<GroupValues, GroupValues>({
    ...{ now, revision: group.revision, queryKey: peopleQuery.queryKey },
    valuesOf: (base) => base ?? now,
    check: ({ users: names, permissions, ...values }) =>
      faultsOf(GroupFields, { ...values, permissions: shownOf(permissions, variant), users: [...names] }),
  });
  const { form, edit, place } = edited;
  const save = useAct<GroupValues>(async (values) => {
    const { name } = values;
    try {
      const change = { id: group.id, ...changeOf(base, values), revision: edit.basis() };
      const { revision } = await changeGroup(change);
      showToast('success', t`“${name}” was saved.`);
      edit.follow(revision);
    } catch (error) {
      place(error);
      throw error;
    }
  });
  const isDirty = Object.keys(changeOf(base, form.getValues())).length > 0;
  return { ...edited, base, isDirty, save: { ...save, error: save.error ?? null } };
}

function valuesOf({ id, name, desc, permission }: UserGroup, users: People['users']): GroupValues {
  const members = users.filter((user) => user['group-id'] === id).map((user) => user.name);
  return { name, desc, permissions: permission, users: members.toSorted() };
}

/** Unchanged values are not sent, because others may have changed them. */
function changeOf(before: GroupValues, { name, desc, permissions, users }: GroupValues) {
  const isMoved = users.join() !== before.users.join();
  return {
    ...(name !== before.name && { name }),
    ...(desc !== before.desc && { desc }),
    ...(permissions !== before.permissions && { permissions }),
    ...(isMoved && { users: [...users] }),
  };
}
