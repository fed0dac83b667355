import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useRef } from 'react';
import { usualForwardAddress } from '../../../../../daemon/contract/forward-states.ts';
import type { Forward } from '../../../../../daemon/contract/forwards.ts';
import { useMay } from '../../../api/session.ts';
import { ruleText } from '../../../i18n/rule-text.ts';
import { useFormat } from '../../../i18n/useFormat.ts';
import { devicesQuery } from '../../../shared/devices/devices-query.ts';
import { FormDialog } from '../../../shared/editing/DialogForm.tsx';
import { showToast } from '../../../ui/feedback/toasts.ts';
import { useEditedForm } from '../../../ui/form/useEditedForm.ts';
import { compareTexts } from '../../../ui/table/table-model.ts';
import styles from '../AddDeviceDialog.module.css';
import { isAccepted } from '../device-cells.tsx';
import { addForward, changeForward, forwardOptionsQuery, forwardsQuery } from './forward-calls.ts';
import {
  type Around,
  checkForward,
  type ForwardValues,
  forwardBody,
  forwardField,
  forwardValues,
  localPortFault,
  remotePortFault,
} from './forward-form.ts';
import { placeOf, portText } from './forward-look.ts';

interface ForwardDialogProps {
  /** Undefined for a new one. */
  readonly forward: Forward | undefined;
  /** The device of a new one; undefined if it is to be chosen. */
  readonly sn: string | undefined;
  readonly onClose: () => void;
}

export default function ForwardDialog({ forward, sn, onClose }: ForwardDialogProps) {
  const { t, i18n } = useLingui();
  const format = useFormat();
  const portsId = useId();
  const mayOpen = useMay('deviceAdvanced');
  const forwards = useQuery(forwardsQuery).data ?? [];
  const around = useRef<Around>({ options: undefined, others: [] });
  const fields = useEditedForm<Forward, ForwardValues>({
    ...{ now: forward, revision: forward?.revision, queryKey: forwardsQuery.queryKey },
    valuesOf: (stored) => forwardValues(stored, sn ?? ''),
    check: (values) => checkForward(values, around.current),
    fieldOf: forwardField,
  });
  const { form, edit } = fields;
  const { values } = form;
  const options = useQuery({ ...forwardOptionsQuery(values.sn), enabled: values.sn !== '' }).data;
  around.current = { options, others: forwards.filter(({ id }) => id !== forward?.id) };
  const isStarted = forward?.started ?? false;
  const save = async (of: ForwardValues) => {
    const body = forwardBody(of);
    if (forward !== undefined) {
      await changeForward({ id: forward.id, ...body, revision: edit.basis() });
      showToast('success', t`The port forward was saved.`);
      return;
    }
    const { port } = await addForward({ sn: of.sn, ...body, start: true });
    const place = placeOf({ ...body, port } as Forward) ?? '';
    showToast('success', t`The port forward was started at ${place}.`);
  };
  /** The fault of what is typed so far. */
  const typed = (text: string, rule: string | undefined) =>
    text.trim() === '' || rule === undefined ? undefined : ruleText(i18n, rule);
  const allowed = options && [...options['usual-ports'], ...options.ports].toSorted((a, b) => a - b);
  const addresses = (options?.addresses ?? []).filter(
    ({ address }) => mayOpen || address === values.address || isLocal(address),
  );
  const remote = form.getInputProps('remotePort');
  const local = form.getInputProps('localPort');
  return (
    <FormDialog
      title={forward === undefined ? t`Add port forward` : t`Edit port forward`}
      size={540}
      fields={fields}
      save={save}
      verb={forward === undefined ? <Trans>Add and start</Trans> : <Trans>Save</Trans>}
      onClose={onClose}
    >
      {forward === undefined && sn === undefined && <DeviceField field={form.getInputProps('sn')} />}
      <div className={styles.halves}>
        <TextInput
          label={t`Device port`}
          description={allowed && t`Allowed: ${allowed.join(format.comma)}`}
          inputMode="numeric"
          list={portsId}
          disabled={isStarted}
          {...(sn !== undefined && { 'data-autofocus': true })}
          {...remote}
          error={remote.error ?? typed(values.remotePort, remotePortFault(values, around.current))}
        />
        <TextInput
          label={t`Hub port`}
          placeholder={t`Any free port`}
          inputMode="numeric"
          disabled={isStarted}
          {...local}
          error={local.error ?? typed(values.localPort, localPortFault(values, around.current))}
        />
      </div>
      <datalist id={portsId}>
        {allowed?.map((port) => (
          <option key={port} value={port}>
            {portText(port)}
          </option>
        ))}
      </datalist>
      <NativeSelect
        label={t`Reachable at`}
        description={
          isLocal(values.address)
            ? t`Only programs on the machine of the hub can connect.`
            : t`Everyone in this network can connect. The device must have a password of its own.`
        }
        disabled={isStarted}
        data={
          addresses.length === 0
            ? [values.address]
            : addresses.map(({ address, link }) => ({ value: address, label: `${address} (${link})` }))
        }
        {...form.getInputProps('address')}
      />
      <TextInput label={t`Name (optional)`} {...form.getInputProps('name')} />
      <TextInput
        label={t`Idle limit in minutes`}
        description={
          values.isPermanent
            ? t`Connections without traffic are closed after this time. Leave empty for no limit.`
            : t`Connections without traffic are closed after this time, and an unused port forward stops. Leave empty for no limit.`
        }
        inputMode="numeric"
        {...form.getInputProps('idleMinutes')}
      />
      <Checkbox
        label={t`Permanent`}
        description={t`It starts again with the hub, and does not stop while it is unused.`}
        {...form.getInputProps('isPermanent', { type: 'checkbox' })}
      />
      {isStarted && (
        <p className={styles.text}>
          <Trans>Stop the port forward to change its ports and its address.</Trans>
        </p>
      )}
    </FormDialog>
  );
}

const isLocal = (address: string) => address === usualForwardAddress || address === '::1';

function DeviceField({ field }: { field: object }) {
  const { t } = useLingui();
  const devices = (useQuery(devicesQuery).data ?? []).filter(isAccepted);
  const sorted = devices.toSorted((a, b) => compareTexts(a.name, b.name));
  return (
    <NativeSelect
      label={t`Device`}
      data-autofocus
      data={[
        { value: '', label: t`Choose a device` },
        ...sorted.map(({ sn, name }) => ({ value: sn, label: `${name} (${sn})` })),
      ]}
      {...field}
    />
  );
}
