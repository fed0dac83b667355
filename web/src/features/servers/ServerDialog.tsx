import { Trans, useLingui } from '@lingui/react/macro';
import { SegmentedControl, TextInput } from '@mantine/core';
import type { Server } from '../../../../daemon/contract/servers.ts';
import { FormDialog } from '../../shared/editing/DialogForm.tsx';
import { addServer, changeServer, serversQuery } from '../../shared/servers/server-calls.ts';
import styles from '../../shared/sources/SourceDialog.module.css';
import { showToast } from '../../ui/feedback/toasts.ts';
import { useEditedForm } from '../../ui/form/useEditedForm.ts';
import { RtmpServerFields, SrtServerFields, StreamFields } from './ServerFields.tsx';
import {
  checkServer,
  type ServerValues,
  serverConfig,
  serverField,
  serverPreview,
  serverValues,
} from './server-form.ts';

interface ServerDialogProps {
  /** Undefined for a new server. */
  readonly server: Server | undefined;
  readonly onClose: () => void;
}

export default function ServerDialog({ server, onClose }: ServerDialogProps) {
  const { t } = useLingui();
  const fields = useEditedForm<Server, ServerValues>({
    ...{ now: server, revision: server?.revision, queryKey: serversQuery.queryKey },
    ...{ valuesOf: serverValues, check: checkServer, fieldOf: serverField },
  });
  const { form, base, edit } = fields;
  const keptOf = (type: string) => (String(base?.type) === type ? base : undefined);
  const save = async (values: ServerValues) => {
    const { name } = values;
    const config = serverConfig(values, keptOf(values.type) === undefined);
    if (server === undefined) await addServer({ name, config });
    else await changeServer({ id: server.id, name, config, revision: edit.basis() });
    showToast('success', server === undefined ? t`“${name}” was added.` : t`“${name}” was saved.`);
  };
  const { type } = form.values;
  const kept = keptOf(type);
  const preview = serverPreview(form.values, kept);
  return (
    <FormDialog
      title={server === undefined ? t`Add destination` : t`Edit destination “${server.name}”`}
      size={540}
      fields={fields}
      save={save}
      verb={server === undefined ? <Trans>Add destination</Trans> : <Trans>Save</Trans>}
      onClose={onClose}
    >
      <TextInput label={t`Name`} data-autofocus {...form.getInputProps('name')} />
      <SegmentedControl
        aria-label={t`Type`}
        data={[
          { value: '1', label: 'RTMP' },
          { value: '2', label: t`SRT caller` },
          { value: '3', label: t`SRT listener` },
        ]}
        {...form.getInputProps('type')}
      />
      {type === '1' ? <RtmpServerFields form={form} kept={kept} /> : <SrtServerFields form={form} kept={kept} />}
      <StreamFields form={form} kept={kept} />
      <p className={styles.preview}>
        <span>
          <Trans>Address</Trans>
        </span>
        {(preview ?? ['–']).map((line) => (
          <code key={line}>{line}</code>
        ))}
      </p>
    </FormDialog>
  );
}
