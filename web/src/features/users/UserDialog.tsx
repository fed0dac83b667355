import { Trans, useLingui } from '@lingui/react/macro';
import { NativeSelect, TextInput } from '@mantine/core';
import { groupTypes } from '../../../../daemon/contract/permission.ts';
import { UserFields } from '../../../../daemon/contract/user-fields.ts';
import type { User, UserGroup } from '../../../../daemon/contract/users.ts';
import { useSession } from '../../api/session.ts';
import { groupName } from '../../i18n/group-name.ts';
import { FormDialog } from '../../shared/editing/DialogForm.tsx';
import { NewPasswordFields, usePasswordRule } from '../../shared/password/NewPasswordFields.tsx';
import { passwordFaults } from '../../shared/password/password-faults.ts';
import { addUser, changeUser, isRoot, peopleQuery } from '../../shared/users/user-calls.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import { faultsOf } from '../../ui/form/schema-form.ts';
import { useEditedForm } from '../../ui/form/useEditedForm.ts';

interface UserDialogProps {
  /** Undefined for a new user. */
  readonly user: User | undefined;
  readonly groups: readonly UserGroup[];
  readonly onClose: () => void;
}

interface UserValues {
  readonly name: string;
  readonly nick: string;
  readonly group: string;
  readonly password: string;
  readonly repeated: string;
}

export default function UserDialog({ user, groups, onClose }: UserDialogProps) {
  const { t, i18n } = useLingui();
  const self = useSession();
  const rule = usePasswordRule();
  const fields = useEditedForm<User, UserValues>({
    ...{ now: user, revision: user?.revision, queryKey: peopleQuery.queryKey, valuesOf },
    check: (values) => ({
      ...faultsOf(UserFields, bodyOf(values)),
      ...(user === undefined && passwordFaults(values, rule, values.name)),
    }),
    fieldOf: (path) => (path === 'group-id' ? 'group' : path),
  });
  const { form, edit } = fields;
  const save = async ({ password, ...values }: UserValues) => {
    const body = bodyOf(values);
    if (user === undefined) await addUser({ ...body, password });
    else await changeUser({ ...body, revision: edit.basis() });
    const { name } = values;
    showToast('success', user === undefined ? t`“${name}” was added.` : t`“${name}” was saved.`);
  };
  // Users cannot remove their own permissions, nor those of Admin.
  const whyGroupFixed =
    user && (isRoot(user) ? t`Admin stays an administrator` : self.id === user.id && t`Your own account`);
  return (
    <FormDialog
      title={user === undefined ? t`Add user` : t`Edit user “${user.name}”`}
      fields={fields}
      save={save}
      verb={user === undefined ? <Trans>Add user</Trans> : <Trans>Save</Trans>}
      onClose={onClose}
    >
      {user === undefined && (
        <TextInput
          label={t`Username`}
          description={t`3 to 12 letters, digits and underscores. It can't be changed later.`}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          {...form.getInputProps('name')}
        />
      )}
      <TextInput
        label={t`Display name`}
        autoComplete="off"
        {...(user !== undefined && { 'data-autofocus': true })}
        {...form.getInputProps('nick')}
      />
      <NativeSelect
        label={t`Group`}
        description={whyGroupFixed || undefined}
        data={groups.map(({ id, name }) => ({ value: String(id), label: groupName(i18n, id, name) }))}
        disabled={Boolean(whyGroupFixed)}
        {...form.getInputProps('group')}
      />
      {user === undefined && <NewPasswordFields form={form} rule={rule} userName={form.values.name} />}
    </FormDialog>
  );
}

function valuesOf(user: User | undefined): UserValues {
  const { name = '', nick = '', 'group-id': group = groupTypes.viewer } = user ?? {};
  return { name, nick, group: String(group), password: '', repeated: '' };
}

function bodyOf({ name, nick, group }: Pick<UserValues, 'name' | 'nick' | 'group'>) {
  return { name, nick, 'group-id': Number(group) };
}
