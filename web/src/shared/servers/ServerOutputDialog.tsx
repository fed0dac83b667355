import { Trans, useLingui } from '@lingui/react/macro';
import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { SourceName } from '../../../../daemon/contract/rules.ts';
import type { Server } from '../../../../daemon/contract/servers.ts';
import type { ServerStream } from '../../../../daemon/contract/streams.ts';
import { editPath, paths } from '../../lib/paths.ts';
import { showAdded } from '../../ui/feedback/toasts.ts';
import { faultAt } from '../../ui/form/schema-form.ts';
import { useSchemaForm } from '../../ui/form/useSchemaForm.ts';
import { FormDialog } from '../editing/DialogForm.tsx';
import styles from '../sources/SourceDialog.module.css';
import { useChannels } from '../streams/channels-query.ts';
import { addOutputOfServer, serversQuery } from './server-calls.ts';

interface ServerOutputDialogProps {
  /** The preselected server; undefined for the first. */
  readonly server: number | undefined;
  /** The channel that gets the output; undefined if it is chosen in the dialog. */
  readonly channel: number | undefined;
  readonly onClose: () => void;
}

interface Values {
  readonly server: string;
  readonly stream: ServerStream;
  readonly name: string;
  readonly channel: string;
}

/** Creates an output that sends to a server; only its name has to be entered. */
export default function ServerOutputDialog(props: ServerOutputDialogProps) {
  const servers = useQuery(serversQuery).data;
  return servers === undefined ? null : <ServerOutputForm {...props} servers={servers} />;
}

function ServerOutputForm({ server, channel, servers, onClose }: ServerOutputDialogProps & { servers: Server[] }) {
  const { t } = useLingui();
  const first = servers.find(({ id }) => id === server) ?? servers[0];
  const channels = useChannels().data;
  const fields = useSchemaForm<Values>({
    initial: {
      server: String(first?.id ?? ''),
      stream: first?.['main-stream'] === false ? 'sub' : 'main',
      name: first?.name ?? '',
      channel: channel === undefined ? '' : String(channel),
    },
    check: ({ name }) => faultAt('name', SourceName, name),
  });
  const { form } = fields;
  const save = async ({ name, stream, ...ids }: Values) => {
    const of = { id: Number(ids.server), stream, name };
    const { id } = await addOutputOfServer({ ...of, ...(ids.channel !== '' && { channel: Number(ids.channel) }) });
    showAdded(t`“${name}” was added.`, editPath(paths.outputs, id));
  };
  const chosen = servers.find(({ id }) => String(id) === form.values.server);
  const streams = [
    ...(chosen?.['main-stream'] ? [{ value: 'main', label: t`Main stream` }] : []),
    ...(chosen?.['sub-stream'] ? [{ value: 'sub', label: t`Sub stream` }] : []),
  ];
  const choose = (id: string) => {
    const next = servers.find((one) => String(one.id) === id);
    form.setValues({ server: id, stream: next?.['main-stream'] === false ? 'sub' : 'main' });
  };
  return (
    <FormDialog
      title={t`Add output from a destination`}
      fields={fields}
      save={save}
      verb={<Trans>Add output</Trans>}
      isDisabled={chosen === undefined}
      onClose={onClose}
    >
      <p className={styles.hint}>
        <Trans>
          A destination holds the address and the stream keys of a service. A preset is the address of one output.
        </Trans>
      </p>
      <NativeSelect
        label={t`Destination`}
        data={servers.map(({ id, name }) => ({ value: String(id), label: name }))}
        value={form.values.server}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      <NativeSelect label={t`Stream`} data={streams} {...form.getInputProps('stream')} />
      <TextInput label={t`Name`} data-autofocus {...form.getInputProps('name')} />
      {channel === undefined && channels !== undefined && (
        <NativeSelect
          label={t`Channel`}
          data={[
            { value: '', label: t`None yet` },
            ...channels.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
          {...form.getInputProps('channel')}
        />
      )}
    </FormDialog>
  );
}
