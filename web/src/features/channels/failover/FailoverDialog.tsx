import { Trans, useLingui } from '@lingui/react/macro';
import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import type { Channel } from '../../../../../daemon/contract/channels.ts';
import { isOnAir } from '../../../../../daemon/contract/streams.ts';
import { channelApi } from '../../../api/calls.ts';
import { call } from '../../../api/client.ts';
import { upload } from '../../../api/upload.ts';
import { paths } from '../../../lib/paths.ts';
import { FormDialog } from '../../../shared/editing/DialogForm.tsx';
import { inputsQuery } from '../../../shared/inputs/input-calls.ts';
import { channelsQuery } from '../../../shared/streams/channels-query.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { showToast } from '../../../ui/feedback/toasts.ts';
import { useEditedForm } from '../../../ui/form/useEditedForm.ts';
import { setChannelInput } from '../channel-calls.ts';
import { checkFailover, type FailoverValues, fieldOfPath, ruleOf, valuesOf } from './failover-form.ts';
import { RuleFields } from './RuleFields.tsx';
import { type ChosenPicture, SlateFields } from './SlateFields.tsx';

interface FailoverDialogProps {
  readonly channel: Channel;
  readonly onClose: () => void;
}

/** Configures the backup of a channel, when it takes over, and the slate shown when both inputs are lost. */
export default function FailoverDialog({ channel, onClose }: FailoverDialogProps) {
  const { t } = useLingui();
  const { failover } = channel;
  const main = failover?.main ?? channel.input;
  const [picture, setPicture] = useState<ChosenPicture>('kept');
  const fields = useEditedForm<Channel, FailoverValues>({
    ...{ now: channel, revision: channel.revision, queryKey: channelsQuery.queryKey },
    valuesOf: (base) => valuesOf(base?.failover?.backup.id ?? 0, base?.failover?.rule),
    check: (values) => ({ ...checkFailover(values), ...pictureFault(values, picture, channel) }),
    fieldOf: fieldOfPath,
  });
  const { form, edit } = fields;
  const save = async (values: FailoverValues) => {
    const { id, name } = channel;
    const of = () => ({ id, revision: edit.basis() });
    if (picture instanceof File) edit.accept((await upload(channelApi.setSlate, of(), picture)).revision);
    const backup = Number(values.backup);
    const rule = backup !== 0 && { failover: ruleOf(values) };
    edit.accept((await setChannelInput({ ...of(), input: main.id, backup, ...rule })).revision);
    if (picture === 'removed') edit.accept((await call(channelApi.delSlate, { body: of() })).revision);
    showToast('success', t`“${name}” was saved.`);
  };
  const discard = (revision: number) => {
    setPicture('kept');
    edit.discard(revision);
  };
  const hasBackup = form.values.backup !== '0';
  return (
    <FormDialog
      title={t`Backup and failover of “${channel.name}”`}
      size={540}
      fields={{ ...fields, edit: { ...edit, discard } }}
      save={save}
      verb={<Trans>Save</Trans>}
      onClose={onClose}
    >
      <BackupChoice main={main.id} present={failover?.backup} props={form.getInputProps('backup')} />
      {hasBackup && (
        <>
          <RuleFields form={form} />
          <SlateFields channel={channel} form={form} picture={picture} onPicture={setPicture} />
        </>
      )}
      {isOnAir(channel.state) && form.isDirty() && (
        <Banner
          tone="info"
          title={<Trans>This channel is live. Saving reconnects its inputs and briefly interrupts the stream.</Trans>}
        />
      )}
    </FormDialog>
  );
}

function pictureFault({ backup, slate }: FailoverValues, picture: ChosenPicture, { config }: Channel) {
  const hasPicture = picture instanceof File || (picture === 'kept' && config['slate-picture'] !== undefined);
  return backup !== '0' && slate === 'picture' && !hasPicture ? { slate: 'required' } : {};
}

interface BackupChoiceProps {
  readonly main: number;
  readonly present: { readonly id: number; readonly name: string } | undefined;
  readonly props: object;
}

function BackupChoice({ main, present, props }: BackupChoiceProps) {
  const { t } = useLingui();
  const inputs = useQuery(inputsQuery).data ?? (present ? [present] : []);
  const data = [
    { value: '0', label: t`None` },
    ...inputs.filter(({ id }) => id !== main).map(({ id, name }) => ({ value: String(id), label: name })),
  ];
  return (
    <NativeSelect
      label={t`Backup input`}
      description={
        <Trans>
          Takes over when the main input is lost. <Link to={`${paths.inputs}?dialog=add`}>Add an input</Link> if it is
          not in the list.
        </Trans>
      }
      data={data}
      data-autofocus
      {...props}
    />
  );
}
