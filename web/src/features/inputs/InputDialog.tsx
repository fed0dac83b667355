import { useLingui } from '@lingui/react/macro';
import { editPath, paths } from '../../lib/paths.ts';
import { useCopy } from '../../shared/editing/useCopy.ts';
import { addInput, changeInput, inputsQuery, revealInput } from '../../shared/inputs/input-calls.ts';
import { SourceDialog, type StoredSource } from '../../shared/sources/SourceDialog.tsx';
import { showAdded, showToast } from '../../ui/feedback/toasts.ts';
import { FormTest } from './FormTest.tsx';

interface InputDialogProps {
  /** Undefined for a new input. */
  readonly input: StoredSource | undefined;
  /** The input that a new one is a copy of. */
  readonly original?: StoredSource | undefined;
  readonly onClose: () => void;
}

const protocols = ['srt', 'rtmp', 'rtsp', 'http', 'udp', 'rtp', 'ndi'] as const;

export default function InputDialog({ input, original, onClose }: InputDialogProps) {
  const { t } = useLingui();
  const copy = useCopy(original, inputsQuery.queryKey);
  const secretsOf = (input ?? original)?.id;
  const titleOf = () => {
    if (original !== undefined) return t`Duplicate input “${original.name}”`;
    return input === undefined ? t`Add input` : t`Edit input “${input.name}”`;
  };
  return (
    <SourceDialog
      title={titleOf()}
      verb={input === undefined ? t`Add input` : t`Save`}
      protocols={protocols}
      isInput
      stored={input}
      copy={copy}
      queryKey={inputsQuery.queryKey}
      reveal={secretsOf === undefined ? undefined : () => revealInput({ id: secretsOf })}
      onClose={onClose}
      // A test result belongs to the address that was tested, so a change of the configuration resets it.
      below={(source) => <FormTest key={JSON.stringify(source.config)} source={source} id={secretsOf} />}
      save={async ({ name, config, revision }) => {
        if (input === undefined) {
          const { id } = await addInput({ name, config, ...(original && { 'copy-of': original.id }) });
          return showAdded(t`“${name}” was added.`, editPath(paths.inputs, id));
        }
        await changeInput({ id: input.id, name, config, revision });
        showToast('success', t`“${name}” was saved.`);
      }}
    />
  );
}
