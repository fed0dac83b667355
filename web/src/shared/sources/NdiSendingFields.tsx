import { useLingui } from '@lingui/react/macro';
import { NativeSelect, TextInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { ndiTransports } from '../../../../daemon/contract/ndi.ts';
import styles from './SourceDialog.module.css';

interface NdiTransportFieldProps {
  readonly value: GetInputPropsReturnType;
  /** Whether the choice may be left to the NDI runtime. */
  readonly isOptional: boolean;
}

export function NdiTransportField({ value, isOptional }: NdiTransportFieldProps) {
  const { t } = useLingui();
  const { unicast, multicast, reliableUdp, multiTcp } = ndiTransports;
  return (
    <NativeSelect
      label={t`Transport`}
      data={[
        ...(isOptional ? [{ value: '', label: t`Automatic` }] : []),
        { value: String(reliableUdp), label: t`Reliable UDP` },
        { value: String(unicast), label: t`Unicast` },
        { value: String(multicast), label: t`Multicast` },
        { value: String(multiTcp), label: t`Several TCP connections` },
      ]}
      {...value}
    />
  );
}

interface NdiMulticastFieldsProps {
  readonly address: GetInputPropsReturnType;
  readonly mask: GetInputPropsReturnType;
  readonly ttl: GetInputPropsReturnType;
}

/** Destination of a source that is sent by multicast. */
export function NdiMulticastFields({ address, mask, ttl }: NdiMulticastFieldsProps) {
  const { t } = useLingui();
  return (
    <>
      <div className={styles.halves}>
        <TextInput label={t`Multicast address`} placeholder="239.255.0.0" spellCheck={false} {...address} />
        <TextInput label={t`Subnet mask`} placeholder="255.255.0.0" spellCheck={false} {...mask} />
      </div>
      <div className={styles.halves}>
        <TextInput label={t`Time to live`} inputMode="numeric" {...ttl} />
      </div>
    </>
  );
}
