import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, Group, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import * as z from 'zod/mini';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { ChannelName, NewStreamKey, StreamKey } from '../../../../daemon/contract/rules.ts';
import { protocolBits } from '../../../../daemon/contract/streams.ts';
import { useHas } from '../../api/session.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { channelPath } from '../../lib/paths.ts';
import { FormDialog } from '../../shared/editing/DialogForm.tsx';
import { useCopy } from '../../shared/editing/useCopy.ts';
import { useLicense } from '../../shared/license/LicenseNote.tsx';
import {
  type ChannelNdiValues,
  channelNdiFields,
  channelNdiOf,
  channelNdiValues,
  checkChannelNdi,
} from '../../shared/sources/ndi-form.ts';
import styles from '../../shared/sources/SourceDialog.module.css';
import { channelsQuery } from '../../shared/streams/channels-query.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import { SecretInput } from '../../ui/form/SecretInput.tsx';
import { type FieldFaults, faultsOf } from '../../ui/form/schema-form.ts';
import { useEditedForm } from '../../ui/form/useEditedForm.ts';
import { ChannelNdiFields } from './ChannelNdiFields.tsx';
import { addChannel, changeChannel, revealPushKey } from './channel-calls.ts';
import { copyOutputs } from './copy-outputs.ts';
import { loadEncoderGuide } from './guide/FirstStream.tsx';
import { OutputCopies } from './OutputCopies.tsx';

interface ChannelDialogProps {
  /** Undefined for a new channel. */
  readonly channel: Channel | undefined;
  /** The channel that a new one is a copy of. */
  readonly original?: Channel | undefined;
  readonly onClose: () => void;
}

interface Values extends ChannelNdiValues {
  readonly name: string;
  readonly pushKey: string;
  readonly playKey: string;
  readonly rtmp: boolean;
  readonly srt: boolean;
  readonly takeover: boolean;
  /** Protocol bit, as text. */
  readonly prefer: string;
}

const Form = z.object({ name: ChannelName, pushKey: z.string(), playKey: z.string() });

type Keys = Pick<Values, 'pushKey' | 'playKey'>;

/** `present`: the keys of an existing channel, which may be kept even if they are too short for a new one. */
export function checkChannel(values: Values, present: Keys | undefined): FieldFaults {
  const faults = faultsOf(Form, values);
  for (const field of ['pushKey', 'playKey'] as const) {
    if (present === undefined && values[field] === '') continue;
    const schema = values[field] === present?.[field] ? StreamKey : NewStreamKey;
    const fault = faultsOf(schema, values[field])[''];
    if (fault !== undefined) faults[field] ??= fault;
  }
  if (values.pushKey !== '' && values.pushKey === values.playKey) faults.playKey ??= 'sameKey';
  return { ...faults, ...checkChannelNdi(values) };
}

const fieldNames: Readonly<Record<string, string>> = {
  'config.push-key': 'pushKey',
  'config.play-key': 'playKey',
  // Without an input, at least one of the protocols is needed.
  'config.protocol': 'rtmp',
  ...Object.fromEntries(Object.entries(channelNdiFields).map(([member, field]) => [`config.ndi.${member}`, field])),
};

export default function ChannelDialog({ channel, original, onClose }: ChannelDialogProps) {
  const { t, i18n } = useLingui();
  const isNew = channel === undefined;
  const navigate = useNavigate();
  const hasNdi = useHas('ndi');
  const hasDevices = useHas('devices');
  const { comma } = useFormat();
  const isFull = useLicense().channels.isFull;
  const copy = useCopy(original, channelsQuery.queryKey);
  const [withOutputs, setWithOutputs] = useState(false);
  const fields = useEditedForm<Channel, Values>({
    ...{ now: channel, revision: channel?.revision, queryKey: channelsQuery.queryKey },
    valuesOf: (stored) => (stored || !copy ? valuesOf(stored) : { ...valuesOf(copy), pushKey: '', playKey: '' }),
    check: (values) => checkChannel(values, channel && valuesOf(channel)),
    fieldOf: (path) => fieldNames[path] ?? path,
  });
  const { form, edit } = fields;
  const save = async (values: Values): Promise<number> => {
    const { name } = values;
    if (channel !== undefined) {
      await changeChannel({ id: channel.id, ...bodyOf(values), revision: edit.basis() });
      showToast('success', t`“${name}” was saved.`);
      return channel.id;
    }
    loadEncoderGuide().catch(() => undefined);
    const body = isFull ? stopped(values) : bodyOf(values);
    const { id } = await addChannel({ ...body, ...(original && { 'copy-of': original.id }) });
    showToast('success', t`“${name}” was added.`);
    if (original && withOutputs) {
      const word = t({ message: 'copy', context: 'end of a name' });
      const refusals = await copyOutputs({ from: original.id, to: id, word, i18n });
      if (refusals.length > 0) showToast('error', t`Not copied: ${refusals.join(comma)}`);
    }
    return id;
  };
  // The page of a new channel shows how an encoder reaches it. Back leads to the list, not to this form.
  const leave = (id: number) => (isNew ? void navigate(channelPath(id), { replace: true }) : onClose());
  const titleOf = () => {
    if (original !== undefined) return t`Duplicate channel “${original.name}”`;
    return isNew ? t`Add channel` : t`Edit “${channel.name}”`;
  };
  const generated = isNew ? t`Generated when left empty` : undefined;
  return (
    <FormDialog
      title={titleOf()}
      fields={fields}
      save={save}
      onSaved={leave}
      verb={isNew ? <Trans>Add channel</Trans> : <Trans>Save</Trans>}
      onClose={onClose}
    >
      <TextInput label={t`Name`} data-autofocus {...form.getInputProps('name')} />
      <SecretInput
        label={t`Push key`}
        description={t`Encoders publish with this key. Changing it disconnects encoders that use the old one.`}
        placeholder={generated}
        toggle={t`Show or hide the push key`}
        reveal={channel && (() => revealPushKey({ id: channel.id }))}
        {...form.getInputProps('pushKey')}
      />
      <TextInput
        label={t`Play key`}
        description={t`Players connect with this key.`}
        placeholder={generated}
        spellCheck={false}
        {...form.getInputProps('playKey')}
      />
      <Checkbox.Group label={t`Allowed protocols`} value={protocolsOf(form.values)}>
        <Group mt={6}>
          <Checkbox value="rtmp" label="RTMP" {...form.getInputProps('rtmp', { type: 'checkbox' })} />
          <Checkbox value="srt" label="SRT" {...form.getInputProps('srt', { type: 'checkbox' })} />
        </Group>
      </Checkbox.Group>
      <Checkbox
        label={t`A new publisher takes over at once`}
        description={t`Otherwise it is refused until the previous one has been silent for 2 seconds.`}
        {...form.getInputProps('takeover', { type: 'checkbox' })}
      />
      {hasDevices && (
        <NativeSelect
          label={t`Preferred protocol`}
          data={[
            { value: String(protocolBits.rtmp), label: 'RTMP', disabled: !form.values.rtmp },
            { value: String(protocolBits.srt), label: 'SRT', disabled: !form.values.srt },
          ]}
          {...form.getInputProps('prefer')}
          value={preferredOf(form.values)}
        />
      )}
      {(hasNdi || form.values.ndi) && <ChannelNdiFields form={form} />}
      {copy && (
        <p className={styles.hint}>
          <Trans>The copy also has the input, the backup, the slate and the alarm settings of the original.</Trans>
        </p>
      )}
      {original && <OutputCopies of={original.id} isWanted={withOutputs} onChange={setWithOutputs} />}
      {isNew && isFull && (
        <p>
          <Trans>The license allows no more enabled channels. This one will be added stopped.</Trans>
        </p>
      )}
    </FormDialog>
  );
}

function valuesOf(channel: Channel | undefined): Values {
  return {
    name: channel?.name ?? '',
    pushKey: channel?.config['push-key'] ?? '',
    playKey: channel?.config['play-key'] ?? '',
    rtmp: channel?.config.protocol.rtmp ?? true,
    srt: channel?.config.protocol.srt ?? true,
    takeover: channel?.config.protocol.takeover ?? false,
    prefer: String(channel?.config.protocol.prefer ?? protocolBits.rtmp),
    ...channelNdiValues(channel?.config.ndi),
  };
}

function protocolsOf({ rtmp, srt }: Values): string[] {
  return [...(rtmp ? ['rtmp'] : []), ...(srt ? ['srt'] : [])];
}

/** The chosen protocol if both or neither are enabled, otherwise the enabled one. */
function preferredOf({ rtmp, srt, prefer }: Pick<Values, 'rtmp' | 'srt' | 'prefer'>): string {
  return rtmp === srt ? prefer : String(rtmp ? protocolBits.rtmp : protocolBits.srt);
}

function bodyOf(values: Values) {
  const { name, pushKey, playKey, rtmp, srt, takeover } = values;
  return {
    name,
    config: {
      ...(pushKey !== '' && { 'push-key': pushKey }),
      ...(playKey !== '' && { 'play-key': playKey }),
      protocol: { rtmp, srt, takeover, prefer: Number(preferredOf(values)) },
      ndi: channelNdiOf(values),
    },
  };
}

function stopped(values: Values) {
  const { config, ...body } = bodyOf(values);
  return { ...body, config: { ...config, enable: false } };
}
