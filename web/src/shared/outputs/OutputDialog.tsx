import { useLingui } from '@lingui/react/macro';
import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { editPath, paths } from '../../lib/paths.ts';
import { showAdded, showToast } from '../../ui/feedback/toasts.ts';
import { useCopy } from '../editing/useCopy.ts';
import { SourceDialog, type StoredSource } from '../sources/SourceDialog.tsx';
import { addOutput, changeOutput, outputsQuery, revealOutput } from './output-calls.ts';

interface OutputDialogProps {
  /** Undefined for a new output. */
  readonly output: StoredSource | undefined;
  /** The output that a new one is a copy of. */
  readonly original?: StoredSource | undefined;
  /** The channel to which a new output is added. */
  readonly channel: number | undefined;
  /** That channel is on air, so the output can begin to send at once. */
  readonly isOnAir?: boolean;
  readonly onClose: () => void;
}

const protocols = ['rtmp', 'srt', 'rtspServer', 'udp', 'rtp', 'ndi'] as const;

export default function OutputDialog({ output, original, channel, isOnAir = false, onClose }: OutputDialogProps) {
  const { t } = useLingui();
  const [startsNow, setStartsNow] = useState(false);
  const asks = output === undefined && channel !== undefined && isOnAir;
  const copy = useCopy(original, outputsQuery.queryKey);
  const secretsOf = (output ?? original)?.id;
  const titleOf = () => {
    if (original !== undefined) return t`Duplicate output “${original.name}”`;
    return output === undefined ? t`Add output` : t`Edit output “${output.name}”`;
  };
  return (
    <SourceDialog
      title={titleOf()}
      verb={output === undefined ? t`Add output` : t`Save`}
      protocols={protocols}
      isInput={false}
      stored={output}
      copy={copy}
      queryKey={outputsQuery.queryKey}
      reveal={secretsOf === undefined ? undefined : () => revealOutput({ id: secretsOf })}
      onClose={onClose}
      below={() =>
        asks && (
          <Checkbox
            label={t`Start sending now`}
            description={t`The channel is on air. You can also start the output later with its switch.`}
            checked={startsNow}
            onChange={(event) => setStartsNow(event.currentTarget.checked)}
          />
        )
      }
      save={async ({ name, config, revision }) => {
        const place = { ...(channel !== undefined && { channel }), ...(asks && { enable: startsNow }) };
        const of = original && { 'copy-of': original.id };
        if (output === undefined) {
          const { id } = await addOutput({ name, config, ...place, ...of });
          return showAdded(t`“${name}” was added.`, editPath(paths.outputs, id));
        }
        await changeOutput({ id: output.id, name, config, revision });
        showToast('success', t`“${name}” was saved.`);
      }}
    />
  );
}
