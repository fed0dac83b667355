import { useLingui } from '@lingui/react/macro';
import { NativeSelect, TextInput } from '@mantine/core';
import type { SchemaForm } from '../../../ui/form/useSchemaForm.ts';
import styles from './ConnectionDialog.module.css';
import { type ConnectionValues, isSrt } from './connection-form.ts';

interface SideProps {
  readonly form: SchemaForm<ConnectionValues>['form'];
}

function useProtocols() {
  const { t } = useLingui();
  return [
    { value: '0', label: t`As the channel prefers` },
    { value: '1', label: 'RTMP' },
    { value: '2', label: 'SRT' },
  ];
}

/** How encoders send to the hub. */
export function SendingFields({ form }: SideProps) {
  const { t } = useLingui();
  const protocols = useProtocols();
  return (
    <div className={styles.fields}>
      <NativeSelect label={t`Protocol`} data={protocols} {...form.getInputProps('inputProtocol')} />
      <NativeSelect
        label={t`Stream of the device`}
        data={[
          { value: '0', label: t`Main stream` },
          { value: '1', label: t`Sub stream` },
        ]}
        {...form.getInputProps('stream')}
      />
      {isSrt(form.values.inputProtocol) && <Milliseconds label={t`Latency`} form={form} field="inputLatency" />}
    </div>
  );
}

/** How decoders play from the hub. */
export function PlayingFields({ form }: SideProps) {
  const { t } = useLingui();
  const protocols = useProtocols();
  return (
    <div className={styles.fields}>
      <NativeSelect label={t`Protocol`} data={protocols} {...form.getInputProps('outputProtocol')} />
      <Milliseconds
        label={t`Receive buffer`}
        description={t`0: the default of the device`}
        form={form}
        field="buffer"
      />
      {isSrt(form.values.outputProtocol) && <Milliseconds label={t`Latency`} form={form} field="outputLatency" />}
    </div>
  );
}

interface MillisecondsProps extends SideProps {
  readonly label: string;
  readonly description?: string;
  readonly field: 'inputLatency' | 'outputLatency' | 'buffer';
}

function Milliseconds({ label, description, form, field }: MillisecondsProps) {
  return (
    <TextInput
      label={label}
      {...(description !== undefined && { description })}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      inputMode="numeric"
      rightSection="ms"
      rightSectionWidth={40}
      {...form.getInputProps(field)}
    />
  );
}
