import { Trans, useLingui } from '@lingui/react/macro';
import { TextInput } from '@mantine/core';
import { useNavigate } from 'react-router-dom';
import { DeviceGroupName } from '../../../../../daemon/contract/device-fields.ts';
import type { DeviceGroup } from '../../../../../daemon/contract/device-groups.ts';
import { deviceGroupPath } from '../../../lib/paths.ts';
import { addGroup, renameGroup } from '../../../shared/devices/groups-query.ts';
import { FormDialog } from '../../../shared/editing/DialogForm.tsx';
import { showToast } from '../../../ui/feedback/toasts.ts';
import { faultAt } from '../../../ui/form/schema-form.ts';
import { useSchemaForm } from '../../../ui/form/useSchemaForm.ts';

interface GroupDialogProps {
  /** The group that the new one comes into; undefined: top level. */
  readonly parent: DeviceGroup | undefined;
  /** The group to rename; undefined for a new one. */
  readonly group: DeviceGroup | undefined;
  readonly onClose: () => void;
}

export default function GroupDialog({ parent, group, onClose }: GroupDialogProps) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const fields = useSchemaForm({
    initial: { name: group?.name ?? '' },
    check: ({ name }) => faultAt('name', DeviceGroupName, name),
    fieldOf: () => 'name',
  });
  const titleOf = () => {
    if (group !== undefined) return t`Rename group “${group.name}”`;
    return parent === undefined ? t`Add device group` : t`Add a group in “${parent.name}”`;
  };
  return (
    <FormDialog
      title={titleOf()}
      fields={fields}
      save={async ({ name }) => {
        if (group === undefined) return (await addGroup({ name, 'parent-id': parent?.id ?? 0 })).id;
        await renameGroup({ id: group.id, param: name, revision: group.revision });
        showToast('success', t`“${name}” was saved.`);
        return undefined;
      }}
      onSaved={(id) => {
        if (id === undefined) onClose();
        else void navigate(deviceGroupPath(id), { replace: true });
      }}
      verb={group === undefined ? <Trans>Add group</Trans> : <Trans>Save</Trans>}
      onClose={onClose}
    >
      <TextInput label={t`Name`} autoComplete="off" data-autofocus {...fields.form.getInputProps('name')} />
    </FormDialog>
  );
}
