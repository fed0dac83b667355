import { Trans, useLingui } from '@lingui/react/macro';
import type { ResponseOf } from '../../../../../daemon/contract/endpoint.ts';
import type { deviceApi } from '../../../api/calls.ts';
import { FormDialog } from '../../../shared/editing/DialogForm.tsx';
import { useEditedForm } from '../../../ui/form/useEditedForm.ts';
import { changeGlobal, globalQuery } from '../device-calls.ts';
import styles from './ConnectionDialog.module.css';
import { PlayingFields, SendingFields } from './ConnectionFields.tsx';
import {
  type ConnectionValues,
  connectionFaults,
  connectionField,
  connectionOf,
  connectionValues,
} from './connection-form.ts';

export type GlobalDevices = ResponseOf<typeof deviceApi.getGlobal>;

interface GlobalConnectionDialogProps {
  readonly global: GlobalDevices;
  readonly onClose: () => void;
}

/** How all devices connect that have nothing of their own. */
export default function GlobalConnectionDialog({ global, onClose }: GlobalConnectionDialogProps) {
  const { t } = useLingui();
  const fields = useEditedForm<GlobalDevices, ConnectionValues>({
    ...{ now: global, revision: global.revision, queryKey: globalQuery.queryKey },
    valuesOf: (base) => ({ ...connectionValues(null, base?.config ?? {}), ownInput: true, ownOutput: true }),
    check: connectionFaults,
    fieldOf: connectionField,
  });
  const { form, edit } = fields;
  return (
    <FormDialog
      title={t`Connection of all devices`}
      size={560}
      fields={fields}
      save={(values) => changeGlobal({ config: connectionOf(values), revision: edit.basis() })}
      verb={<Trans>Save</Trans>}
      isDisabled={!form.isDirty()}
      onClose={onClose}
    >
      <fieldset className={styles.side}>
        <legend>
          <Trans>Encoders that send to a channel</Trans>
        </legend>
        <SendingFields form={form} />
      </fieldset>
      <fieldset className={styles.side}>
        <legend>
          <Trans>Decoders that play a channel</Trans>
        </legend>
        <PlayingFields form={form} />
      </fieldset>
      <p className={styles.note}>
        <Trans>Devices that are connected with a channel get the change at once, which interrupts their streams.</Trans>
      </p>
    </FormDialog>
  );
}
