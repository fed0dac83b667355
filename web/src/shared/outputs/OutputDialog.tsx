import { useLingui } from '@lingui/react/macro';
import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { showToast } from '../../ui/feedback/toasts.ts';
import { SourceDialog, type StoredSource } from '../sources/SourceDialog.tsx';
import { addOutput, changeOutput, outputsQuery, revealOutput } from './output-calls.ts';

interface OutputDialogProps {
  /** Undefined for a new output. */
  readonly output: StoredSource | undefined;
  /** The channel to which a new output is added. */
  readonly channel: number | undefined;
  /** That channel is on air, so the output can begin to send at once. */
  readonly isOnAir?: boolean;
  readonly onClose: () => void;
}

const protocols = ['rtmp', 'srt', 'rtspServer', 'udp', 'rtp', 'ndi'] as const;

export default function OutputDialog({ output, channel, isOnAir = false, onClose }: OutputDialogProps) {
  const { t } = useLingui();
  const [startsNow, setStartsNow] = useState(false);
  const asks = output === undefined && channel !== undefined && isOnAir;
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
        if (output === undefined) await addOutput({ name, config, ...place });
        else await changeOutput({ id: output.id, name, config, revision });
        showToast('success', output === undefined ? t`“${name}” was added.` : t`“${name}” was saved.`);
      }}
    />
  );
}
