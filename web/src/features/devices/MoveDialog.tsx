import { Trans, useLingui } from '@lingui/react/macro';
import type { Device } from '../../../../daemon/contract/devices.ts';
import { FormDialog } from '../../shared/editing/DialogForm.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { useSchemaForm } from '../../ui/form/useSchemaForm.ts';
import { moveDevices } from './device-calls.ts';
import { GroupSelect } from './groups/GroupSelect.tsx';

interface MoveDialogProps {
  readonly device: Device;
  readonly onClose: () => void;
}

export default function MoveDialog({ device, onClose }: MoveDialogProps) {
  const { t } = useLingui();
  const { sn, name } = device;
  const fields = useSchemaForm({ initial: { group: String(device['catalog-id']) }, check: () => ({}) });
  return (
    <FormDialog
      title={t`Move “${name}” to a group`}
      fields={fields}
      save={async ({ group }) => {
        await moveDevices({ sn, 'catalog-id': Number(group) });
        showToast('success', t`“${name}” was moved.`);
      }}
      verb={<Trans>Move</Trans>}
      onClose={onClose}
    >
      <GroupSelect data-autofocus {...fields.form.getInputProps('group')} />
    </FormDialog>
  );
}
