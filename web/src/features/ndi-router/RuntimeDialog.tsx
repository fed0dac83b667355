import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Checkbox, FileButton } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { ndiRuntimeApi, taskApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { sendFile } from '../../shared/uploads/send-file.ts';
import { taskDone } from '../../shared/uploads/task-done.ts';
import { ActFault } from '../../ui/feedback/ActFault.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { useAct } from '../../ui/form/useAct.ts';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import styles from './NdiRouter.module.css';

/** Uploads the vendor's library. The hub tests the library, then stores it in its own folder. */
export default function RuntimeDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const [file, setFile] = useState<File | null>(null);
  const [isAccepted, setAccepted] = useState(false);
  const [sent, setSent] = useState(0);
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);
  const act = useAct(async (chosen: File) => {
    const { signal } = abort.current;
    const { name, size } = chosen;
    const { task } = await call(ndiRuntimeApi.upload, { body: { name, size, 'license-accepted': true } });
    // Closing the dialog cancels the upload.
    signal.addEventListener('abort', () => void call(taskApi.cancel, { body: { id: task } }).catch(() => undefined));
    await sendFile({ task, file: chosen, from: 0, signal, onProgress: setSent, onStall: () => {} });
    await taskDone(task, signal);
    await refresh('ndi');
    showToast('success', t`The NDI runtime is in use.`);
    abort.current = new AbortController();
    onClose();
  });
  const percent = file === null ? 0 : Math.floor((sent / file.size) * 100);
  return (
    <Dialog title={t`Upload the NDI runtime`} onClose={onClose}>
      <div className={styles.settings}>
        <p>
          <Trans>
            Get the runtime for Linux from{' '}
            <a href="https://ndi.video" target="_blank" rel="noreferrer">
              ndi.video
            </a>{' '}
            and choose its library, <code>libndi.so.6</code>. The hub tests the library before it uses it.
          </Trans>
        </p>
        <div className={styles.toolbar}>
          <FileButton onChange={setFile}>
            {(props) => (
              <Button
                {...props}
                variant="default"
                disabled={act.isPending}
                leftSection={<IconFileUpload size={16} aria-hidden />}
              >
                <Trans>Choose file…</Trans>
              </Button>
            )}
          </FileButton>
          <span translate="no">{file?.name}</span>
        </div>
        <Checkbox
          label={t`I have accepted the license of the vendor for this machine`}
          checked={isAccepted}
          disabled={act.isPending}
          onChange={(event) => setAccepted(event.currentTarget.checked)}
        />
        {act.isPending && file !== null && (
          <div role="status">
            <progress value={percent} max={100} aria-label={t`Progress of the upload`} />
            {sent < file.size ? <Trans>{percent} % sent</Trans> : <Trans>The hub tests the library</Trans>}
          </div>
        )}
        {act.error !== undefined && !act.isPending && <ActFault error={act.error} />}
        <div className={styles.dialogFoot}>
          <Button variant="default" onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button
            loading={act.isPending}
            disabled={file === null || !isAccepted}
            onClick={() => file && void act.run(file)}
          >
            <Trans>Upload</Trans>
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
