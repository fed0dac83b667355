import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { ndiRuntimeApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { useMay } from '../../api/session.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { ActFault } from '../../ui/feedback/ActFault.tsx';
import { useAct } from '../../ui/form/useAct.ts';
import styles from './NdiRouter.module.css';

const RuntimeDialog = deferredPart(() => import('./RuntimeDialog.tsx'));

/** Buttons for the time without a working runtime. */
export default function RuntimeActs({ mayUpload }: { mayUpload: boolean }) {
  const mayRetry = useMay('ndiEdit');
  const mayInstall = useMay('systemEdit');
  const [isOpen, setOpen] = useState(false);
  const act = useAct(async () => {
    await call(ndiRuntimeApi.retry);
    await refresh('ndi');
  });
  return (
    <>
      {act.error !== undefined && <ActFault error={act.error} />}
      <div className={styles.runtimeActs}>
        {mayRetry && (
          <Button size="xs" variant="default" loading={act.isPending} onClick={() => void act.run(undefined)}>
            <Trans>Try again</Trans>
          </Button>
        )}
        {mayUpload && mayInstall && (
          <Button size="xs" variant="default" onClick={() => setOpen(true)}>
            <Trans>Upload runtime…</Trans>
          </Button>
        )}
      </div>
      {isOpen && <RuntimeDialog onClose={() => setOpen(false)} />}
    </>
  );
}
