import { Trans, useLingui } from '@lingui/react/macro';
import { NativeSelect, TextInput } from '@mantine/core';
import { useNavigate } from 'react-router-dom';
import { defaultUserMask, groupTypes, maskOf } from '../../../../daemon/contract/permission.ts';
import { GroupFields } from '../../../../daemon/contract/user-fields.ts';
import type { UserGroup } from '../../../../daemon/contract/users.ts';
import { meets } from '../../../../daemon/contract/variant.ts';
import { useVariant } from '../../api/session.ts';
import { groupName } from '../../i18n/group-name.ts';
import { groupPath } from '../../lib/paths.ts';
import { FormDialog } from '../../shared/editing/DialogForm.tsx';
import { addGroup } from '../../shared/users/user-calls.ts';
import { faultsOf } from '../../ui/form/schema-form.ts';
import { useSchemaForm } from '../../ui/form/useSchemaForm.ts';

interface GroupDialogProps {
  readonly groups: readonly UserGroup[];
  readonly onClose: () => void;
}

interface GroupValues {
  readonly name: string;
  readonly desc: string;
  /** Id of the group whose permissions are copied; '' for the default ones. */
  readonly like: string;
}

export default function GroupDialog({ groups, onClose }: GroupDialogProps) {
  const { t, i18n } = useLingui();
  const navigate = useNavigate();
  const routesNdi = meets(useVariant(), 'ndiRouter');
  // Administrator permissions cannot be granted to other groups.
  const models = groups.filter(({ type }) => type !== groupTypes.admin);
  const usual = routesNdi ? defaultUserMask | maskOf('ndiView') : defaultUserMask;
  const toBody = ({ name, desc, like }: GroupValues) => ({
    ...{ name, desc },
    permissions: models.find(({ id }) => String(id) === like)?.permission ?? usual,
  });
  const fields = useSchemaForm<GroupValues>({
    initial: { name: '', desc: '', like: '' },
    check: (values) => faultsOf(GroupFields, toBody(values)),
  });
  const { form } = fields;
  return (
    <FormDialog
      title={t`Add group`}
      fields={fields}
      save={(values) => addGroup(toBody(values))}
      // Permissions and members are chosen on the group's page.
      onSaved={({ id }) => navigate(groupPath(id), { replace: true })}
      verb={<Trans>Add group</Trans>}
      onClose={onClose}
    >
      <TextInput label={t`Name`} autoComplete="off" data-autofocus {...form.getInputProps('name')} />
      <TextInput label={t`Description`} autoComplete="off" {...form.getInputProps('desc')} />
      <NativeSelect
        label={t`Copy permissions from`}
        data={[
          { value: '', label: t`Viewing only` },
          ...models.map(({ id, name }) => ({ value: String(id), label: groupName(i18n, id, name) })),
        ]}
        {...form.getInputProps('like')}
      />
    </FormDialog>
  );
}
