import { Plural, Trans, useLingui } from '@lingui/react/macro';
import type { Device } from '../../../../daemon/contract/devices.ts';
import { deviceApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { FormDialog } from '../../shared/editing/DialogForm.tsx';
import { useSchemaForm } from '../../ui/form/useSchemaForm.ts';
import type { BulkDialogProps } from '../../ui/table/bulk.ts';
import { GroupSelect } from './groups/GroupSelect.tsx';

/** Asks into which group the selected devices move; the bar of the list shows how that goes. */
export default function MoveSelectedDialog({ items, begin, onClose }: BulkDialogProps<Device>) {
  const { t } = useLingui();
  const places = new Set(items.map((device) => device['catalog-id']));
  const [place = 0] = places.size === 1 ? places : [];
  const fields = useSchemaForm({ initial: { group: String(place) }, check: () => ({}) });
  return (
    <FormDialog
      title={t`Move to a group`}
      fields={fields}
      save={({ group }) => {
        begin(({ sn }) => call(deviceApi.move, { body: { sn, 'catalog-id': Number(group) } }));
        return Promise.resolve();
      }}
      verb={<Trans>Move</Trans>}
      onClose={onClose}
    >
      <p>
        <Plural value={items.length} one="# device moves." other="# devices move." />
      </p>
      <GroupSelect data-autofocus {...fields.form.getInputProps('group')} />
    </FormDialog>
  );
}
