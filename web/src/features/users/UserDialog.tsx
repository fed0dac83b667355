import { Trans, useLingui } from '@lingui/react/macro';
import { NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { groupTypes } from '../../../../daemon/contract/permission.ts';
import { type User, type UserGroup, userApi } from '../../../../daemon/contract/users.ts';
import { useSession } from '../../api/session.ts';
import { faultsOf } from '../../lib/schema-form.ts';
import { useSchemaForm } from '../../lib/useSchemaForm.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogForm } from '../../ui/DialogForm.tsx';
import { showToast } from '../../ui/toasts.ts';
import { NewPasswordFields, passwordFaults } from './NewPasswordFields.tsx';
import { usePasswordRule } from './usePasswordRule.ts';
import { addUser, changeUser } from './user-calls.ts';

interface UserDialogProps {
  /** Undefined for a new one. */
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

const rootUserId = 1;

export default function UserDialog({ user, groups, onClose }: UserDialogProps) {
  const { t } = useLingui();
  const self = useSession();
  const rule = usePasswordRule();
  const toBody = ({ name, nick, group }: UserValues) => ({ name, nick, 'group-id': Number(group) });
  const { form, onSubmit, place } = useSchemaForm<UserValues>({
    initial: {
      ...{ name: user?.name ?? '', nick: user?.nick ?? '', password: '', repeated: '' },
      group: String(user?.['group-id'] ?? groupTypes.viewer),
    },
    check: (values) => ({
      ...faultsOf(userApi.set.body, toBody(values)),
      ...(user === undefined && passwordFaults(values, rule, values.name)),
    }),
    fieldOf: (path) => (path === 'group-id' ? 'group' : path),
  });
  const act = useMutation({
    async mutationFn(values: UserValues) {
      const body = toBody(values);
      if (user === undefined) await addUser({ ...body, password: values.password });
      else await changeUser({ ...body, revision: user.revision });
      const { name } = values;
      showToast('success', user === undefined ? t`“${name}” was added.` : t`“${name}” was saved.`);
    },
    onSuccess: onClose,
    onError: place,
  });
  // Nobody takes the rights from oneself, nor from Admin.
  const isGroupFixed = user !== undefined && (user.id === rootUserId || user.id === self.id);
  return (
    <Dialog title={user === undefined ? t`Add user` : t`Edit user “${user.name}”`} onClose={onClose}>
      <DialogForm
        onSubmit={onSubmit((values) => act.mutate(values))}
        act={act}
        errors={form.errors}
        verb={user === undefined ? <Trans>Add user</Trans> : <Trans>Save</Trans>}
        onClose={onClose}
      >
        {user === undefined && (
          <TextInput label={t`User name`} autoComplete="off" data-autofocus {...form.getInputProps('name')} />
        )}
        <TextInput
          label={t`Nick name`}
          autoComplete="off"
          {...(user !== undefined && { 'data-autofocus': true })}
          {...form.getInputProps('nick')}
        />
        <NativeSelect
          label={t`Group`}
          data={groups.map(({ id, name }) => ({ value: String(id), label: name }))}
          disabled={isGroupFixed}
          {...form.getInputProps('group')}
        />
        {user === undefined && <NewPasswordFields form={form} rule={rule} userName={form.values.name} />}
      </DialogForm>
    </Dialog>
  );
}
