import { Trans, useLingui } from '@lingui/react/macro';
import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Device } from '../../../../daemon/contract/devices.ts';
import { results } from '../../../../daemon/contract/result.ts';
import { directions } from '../../../../daemon/contract/streams.ts';
import { CallError } from '../../lib/call-error.ts';
import { connectDevice } from '../../shared/devices/connect-call.ts';
import { FormDialog } from '../../shared/editing/DialogForm.tsx';
import { channelsQuery } from '../../shared/streams/channels-query.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { useSchemaForm } from '../../ui/form/useSchemaForm.ts';

interface ConnectDialogProps {
  readonly device: Device;
  readonly onClose: () => void;
}

interface ConnectValues {
  /** Id of the channel; 0 ends the connection. */
  readonly channel: string;
  readonly dir: 'input' | 'output';
}

/** Makes a device the input of a channel, or lets it play one: the hub configures the device. */
export default function ConnectDialog({ device, onClose }: ConnectDialogProps) {
  const { t } = useLingui();
  const { sn, name, dir } = device;
  const channels = useQuery(channelsQuery).data ?? [];
  /** The choice that the hub refused because something is in use; only that one may be forced. */
  const [refused, setRefused] = useState<ConnectValues>();
  const usual = dir === directions.output ? 'output' : 'input';
  const ownerOf = (way: ConnectValues['dir']) =>
    (way === 'input' ? device['owner-i-d'] : device['owner-o-d'])?.[0] ?? 0;
  const fields = useSchemaForm<ConnectValues>({
    initial: { channel: String(ownerOf(usual)), dir: usual },
    check: () => ({}),
    fieldOf: () => 'channel',
  });
  const { form } = fields;
  const isInput = form.values.dir === 'input';
  const isForced = refused?.channel === form.values.channel && refused.dir === form.values.dir;
  const isChanged = Number(form.values.channel) !== ownerOf(form.values.dir);
  const save = async (values: ConnectValues) => {
    try {
      await connectDevice({ sn, channel: Number(values.channel), dir: values.dir, ...(isForced && { force: true }) });
    } catch (error) {
      if (error instanceof CallError && error.code === results.objectBusy.code) setRefused(values);
      throw error;
    }
    showToast('success', values.channel === '0' ? t`“${name}” was disconnected.` : t`“${name}” was connected.`);
  };
  return (
    <FormDialog
      title={t`Connect “${name}” to a channel`}
      fields={fields}
      save={save}
      verb={isForced ? <Trans>Connect anyway</Trans> : <Trans>Connect</Trans>}
      isDangerous={isForced}
      isDisabled={!isChanged}
      onClose={onClose}
    >
      {dir === directions.both && (
        <NativeSelect
          label={t`The device`}
          data={[
            { value: 'input', label: t`sends to the channel` },
            { value: 'output', label: t`plays the channel` },
          ]}
          {...form.getInputProps('dir')}
        />
      )}
      <NativeSelect
        label={t`Channel`}
        description={
          isInput
            ? t`The hub configures the encoder to send its stream to this channel.`
            : t`The hub configures the decoder to play this channel.`
        }
        data-autofocus
        data={[
          { value: '0', label: t`No channel` },
          ...channels.map((channel) => ({ value: String(channel.id), label: channel.name })),
        ]}
        {...form.getInputProps('channel')}
      />
      {isForced && (
        <Banner tone="warn" title={t`The channel or the device is in use.`}>
          <Trans>The channel loses its current input, or the device leaves its current channel.</Trans>
        </Banner>
      )}
    </FormDialog>
  );
}
