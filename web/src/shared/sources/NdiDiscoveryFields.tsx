import { useLingui } from '@lingui/react/macro';
import { TextInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';

interface NdiExtraIpsFieldProps {
  readonly value: GetInputPropsReturnType;
}

export function NdiExtraIpsField({ value }: NdiExtraIpsFieldProps) {
  const { t } = useLingui();
  return (
    <TextInput
      label={t`Additional machines`}
      description={t`IPv4 addresses of machines outside this network, separated by commas.`}
      placeholder="10.1.0.20"
      spellCheck={false}
      {...value}
    />
  );
}

interface NdiServersFieldProps extends NdiExtraIpsFieldProps {
  readonly description: string;
}

export function NdiServersField({ value, description }: NdiServersFieldProps) {
  const { t } = useLingui();
  return (
    <TextInput
      label={t`Discovery servers`}
      description={description}
      placeholder="10.0.0.5:5959"
      spellCheck={false}
      {...value}
    />
  );
}
