import { Trans, useLingui } from '@lingui/react/macro';
import { SegmentedControl, TextInput } from '@mantine/core';
import type { Server } from '../../../../daemon/contract/servers.ts';
import { editPath, paths } from '../../lib/paths.ts';
import { FormDialog } from '../../shared/editing/DialogForm.tsx';
import { useCopy } from '../../shared/editing/useCopy.ts';
import { addServer, changeServer, serversQuery } from '../../shared/servers/server-calls.ts';
import styles from '../../shared/sources/SourceDialog.module.css';
import { KeptSecretsNote } from '../../shared/sources/SourceDialog.tsx';
import { showAdded, showToast } from '../../ui/feedback/toasts.ts';
import { useEditedForm } from '../../ui/form/useEditedForm.ts';
import { RtmpServerFields, SrtServerFields, StreamFields } from './ServerFields.tsx';
import {
  checkServer,
  type ServerValues,
  serverConfig,
  serverField,
  serverPreview,
  serverValues,
  withoutKeys,
} from './server-form.ts';

interface ServerDialogProps {
  /** Undefined for a new server. */
  readonly server: Server | undefined;
  /** The server that a new one is a copy of. */
  readonly original: Server | undefined;
  readonly onClose: () => void;
}

export default function ServerDialog({ server, original, onClose }: ServerDialogProps) {
  const { t } = useLingui();
  const renamed = useCopy(original, serversQuery.queryKey);
  const copy = renamed && withoutKeys(renamed);
  const fields = useEditedForm<Server, ServerValues>({
    ...{ now: server, revision: server?.revision, queryKey: serversQuery.queryKey },
    valuesOf: (stored = copy) => serverValues(stored),
    check: (values, stored = copy) => checkServer(values, stored),
    fieldOf: serverField,
  });
  const { form, base = copy, edit } = fields;
  const keptOf = (type: string) => (String(base?.type) === type ? base : undefined);
  const save = async (values: ServerValues) => {
    const { name } = values;
    const isNew = server === undefined || keptOf(values.type) === undefined;
    const config = serverConfig(values, isNew);
    if (server === undefined) {
      const { id } = await addServer({ name, config, ...(original && { 'copy-of': original.id }) });
      return showAdded(t`“${name}” was added.`, editPath(paths.servers, id));
    }
    await changeServer({ id: server.id, name, config, revision: edit.basis() });
    showToast('success', t`“${name}” was saved.`);
  };
  const { type } = form.values;
  const kept = keptOf(type);
  const preview = serverPreview(form.values, kept);
  const titleOf = () => {
    if (original !== undefined) return t`Duplicate destination “${original.name}”`;
    return server === undefined ? t`Add destination` : t`Edit destination “${server.name}”`;
  };
  return (
    <FormDialog
      title={titleOf()}
      size={540}
      fields={fields}
      save={save}
      verb={server === undefined ? <Trans>Add destination</Trans> : <Trans>Save</Trans>}
      onClose={onClose}
    >
      <TextInput label={t`Name`} data-autofocus {...form.getInputProps('name')} />
      {copy && (
        <p className={styles.hint}>
          <Trans>Two destinations cannot send the same stream to the same address. Give the copy its own keys.</Trans>
        </p>
      )}
      {copy && (copy['password-set'] || copy['passphrase-set']) && <KeptSecretsNote />}
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
