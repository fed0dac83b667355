import { useLingui } from '@lingui/react/macro';
import { showToast } from '../../ui/feedback/toasts.ts';
import { SourceDialog, type StoredSource } from '../sources/SourceDialog.tsx';
import { addOutput, changeOutput, outputsQuery, revealOutput } from './output-calls.ts';

interface OutputDialogProps {
  /** Undefined for a new output. */
  readonly output: StoredSource | undefined;
  /** The channel to which a new output is added. */
  readonly channel: number | undefined;
  readonly onClose: () => void;
}

const protocols = ['rtmp', 'srt', 'rtspServer', 'udp', 'rtp', 'ndi'] as const;

export default function OutputDialog({ output, channel, onClose }: OutputDialogProps) {
  const { t } = useLingui();
  return (
    <SourceDialog
      title={output === undefined ? t`Add output` : t`Edit output “${output.name}”`}
      verb={output === undefined ? t`Add output` : t`Save`}
      protocols={protocols}
      isInput={false}
      stored={output}
      queryKey={outputsQuery.queryKey}
      reveal={output && (() => revealOutput({ id: output.id }))}
      onClose={onClose}
      save={async ({ name, config, revision }) => {
        if (output === undefined) await addOutput({ name, config, ...(channel !== undefined && { channel }) });
        else await changeOutput({ id: output.id, name, config, revision });
        showToast('success', output === undefined ? t`“${name}” was added.` : t`“${name}” was saved.`);
      }}
    />
  );
}
