import { Trans, useLingui } from '@lingui/react/macro';
import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { limits } from '../../../../../daemon/contract/limits.ts';
import { useFormat } from '../../../i18n/useFormat.ts';
import { FormDialog } from '../../../shared/editing/DialogForm.tsx';
import { showToast } from '../../../ui/feedback/toasts.ts';
import { useSchemaForm } from '../../../ui/form/useSchemaForm.ts';
import { forwardOptionsQuery, setForwardPorts } from './forward-calls.ts';
import { type ForwardOptions, readPorts } from './forward-form.ts';

interface ForwardPortsDialogProps {
  readonly sn: string;
  readonly name: string;
  readonly onClose: () => void;
}

/** Which ports of a device may be forwarded beside the usual ones. */
export default function ForwardPortsDialog(props: ForwardPortsDialogProps) {
  const options = useQuery(forwardOptionsQuery(props.sn)).data;
  return options === undefined ? null : <PortsForm {...props} options={options} />;
}

function PortsForm({ sn, name, options, onClose }: ForwardPortsDialogProps & { options: ForwardOptions }) {
  const { t } = useLingui();
  const { comma } = useFormat();
  const usual = options['usual-ports'].join(comma);
  const fields = useSchemaForm<{ ports: string }>({
    initial: { ports: options.ports.join(', ') },
    check({ ports }) {
      const read = readPorts(ports);
      if (read === undefined) return { ports: 'port' };
      return read.length > limits.forwards.ports ? { ports: 'tooMany' } : {};
    },
  });
  const save = async ({ ports }: { ports: string }) => {
    await setForwardPorts({ sn, ports: readPorts(ports) ?? [] });
    showToast('success', t`The allowed ports of “${name}” were saved.`);
  };
  return (
    <FormDialog
      title={t`Allowed ports of “${name}”`}
      fields={fields}
      save={save}
      verb={<Trans>Save</Trans>}
      onClose={onClose}
    >
      <TextInput
        label={t`Additional ports`}
        description={t`In addition to ${usual}. Separate ports with commas. If the device is behind an agent, the agent must allow them, too.`}
        placeholder="8554, 9000"
        data-autofocus
        {...fields.form.getInputProps('ports')}
      />
    </FormDialog>
  );
}
