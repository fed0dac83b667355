import { useLingui } from '@lingui/react/macro';
import { TextInput } from '@mantine/core';
import { defaultOscPort } from '../../../../daemon/contract/device-fields.ts';
import { Port } from '../../../../daemon/contract/rules.ts';
import { faultAt, numberOf } from '../../ui/form/schema-form.ts';

/** The UDP port at which a Director states what it does. */
export function OscField({ input }: { readonly input: object }) {
  const { t } = useLingui();
  return (
    <TextInput
      label={t`OSC port`}
      description={t`UDP port from the OSC settings of the device. The hub reads the state of the device over OSC.`}
      placeholder={String(defaultOscPort)}
      inputMode="numeric"
      autoComplete="off"
      {...input}
    />
  );
}

/** An empty field means the default. */
export const oscPortOf = (text: string): number => (text.trim() === '' ? defaultOscPort : numberOf(text));

export const checkOscPort = (text: string) => faultAt('osc-port', Port, oscPortOf(text));
