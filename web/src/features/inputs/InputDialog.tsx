import { useLingui } from '@lingui/react/macro';
import { addInput, changeInput, inputsQuery, revealInput } from '../../shared/inputs/input-calls.ts';
import { SourceDialog, type StoredSource } from '../../shared/sources/SourceDialog.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { FormTest } from './FormTest.tsx';

interface InputDialogProps {
  /** Undefined for a new input. */
  readonly input: StoredSource | undefined;
  readonly onClose: () => void;
}

const protocols = ['srt', 'rtmp', 'rtsp', 'http', 'udp', 'rtp', 'ndi'] as const;

export default function InputDialog({ input, onClose }: InputDialogProps) {
  const { t } = useLingui();
  return (
    <SourceDialog
      title={input === undefined ? t`Add input` : t`Edit input “${input.name}”`}
      verb={input === undefined ? t`Add input` : t`Save`}
      protocols={protocols}
      isInput
      stored={input}
      queryKey={inputsQuery.queryKey}
      reveal={input && (() => revealInput({ id: input.id }))}
      onClose={onClose}
      // A test result belongs to the address that was tested, so a change of the configuration resets it.
      below={(source) => <FormTest key={JSON.stringify(source.config)} source={source} id={input?.id} />}
      save={async ({ name, config, revision }) => {
        if (input === undefined) await addInput({ name, config });
        else await changeInput({ id: input.id, name, config, revision });
        showToast('success', input === undefined ? t`“${name}” was added.` : t`“${name}” was saved.`);
      }}
    />
  );
}
