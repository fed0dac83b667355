import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { capabilitiesOf, familyOf } from '../../../../../daemon/contract/device-catalog.ts';
import type { DeviceConnection } from '../../../../../daemon/contract/device-fields.ts';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { directions } from '../../../../../daemon/contract/streams.ts';
import { useMay } from '../../../api/session.ts';
import { useFormat } from '../../../i18n/useFormat.ts';
import { FormDialog } from '../../../shared/editing/DialogForm.tsx';
import { useSchemaForm } from '../../../ui/form/useSchemaForm.ts';
import { configureDevices, globalQuery } from '../device-calls.ts';
import styles from './ConnectionDialog.module.css';
import { PlayingFields, SendingFields } from './ConnectionFields.tsx';
import {
  type ConnectionValues,
  connectionFaults,
  connectionField,
  connectionOf,
  connectionValues,
} from './connection-form.ts';
import { playingParts, sendingParts } from './connection-words.ts';
import { PushKey } from './PushKey.tsx';

interface ConnectionDialogProps {
  readonly device: Device;
  readonly onClose: () => void;
}

/** How a device sends to the hub or plays from it: as all devices, or with settings of its own. */
export default function ConnectionDialog(props: ConnectionDialogProps) {
  const usual = useQuery(globalQuery).data?.config;
  return usual === undefined ? null : <ConnectionForm {...props} usual={usual} />;
}

function ConnectionForm({ device, usual, onClose }: ConnectionDialogProps & { usual: DeviceConnection }) {
  const { t } = useLingui();
  const { comma } = useFormat();
  const mayEditKey = useMay('deviceAdvanced');
  const fields = useSchemaForm<ConnectionValues>({
    initial: connectionValues(device.config, usual),
    check: connectionFaults,
    fieldOf: connectionField,
  });
  const { form } = fields;
  const sends = (device.dir & directions.input) !== 0;
  const { connectionConfig: isOpen } = capabilitiesOf({
    ...{ family: familyOf(device.module), productId: device['product-id'], model: device['module-name'] },
    // The rule does not depend on it.
    api: 'usapi',
  });
  const plays = isOpen && (device.dir & directions.output) !== 0;
  const [sending, playing] = [sendingParts(usual).join(comma), playingParts(usual).join(comma)];
  return (
    <FormDialog
      title={t`Connection of “${device.name}”`}
      size={560}
      fields={fields}
      save={(values) => configureDevices({ sn: device.sn, config: connectionOf(values) })}
      verb={<Trans>Save</Trans>}
      isDisabled={!form.isDirty()}
      onClose={onClose}
    >
      {sends && isOpen && (
        <fieldset className={styles.side}>
          <legend>
            <Trans>When it sends to a channel</Trans>
          </legend>
          <Checkbox
            label={t`Use the setting for all devices (${sending})`}
            data-autofocus
            checked={!form.values.ownInput}
            onChange={(event) => form.setFieldValue('ownInput', !event.currentTarget.checked)}
          />
          {form.values.ownInput && <SendingFields form={form} />}
        </fieldset>
      )}
      {plays && (
        <fieldset className={styles.side}>
          <legend>
            <Trans>When it plays a channel</Trans>
          </legend>
          <Checkbox
            label={t`Use the setting for all devices (${playing})`}
            {...(!sends && { 'data-autofocus': true })}
            checked={!form.values.ownOutput}
            onChange={(event) => form.setFieldValue('ownOutput', !event.currentTarget.checked)}
          />
          {form.values.ownOutput && <PlayingFields form={form} />}
        </fieldset>
      )}
      <p className={styles.note}>
        {isOpen ? (
          <Trans>A device that is connected with a channel gets the change at once, which interrupts its stream.</Trans>
        ) : (
          <Trans>How devices of this family connect cannot be set.</Trans>
        )}
      </p>
      {sends && mayEditKey && <PushKey device={device} />}
    </FormDialog>
  );
}
