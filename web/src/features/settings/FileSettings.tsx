import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useEffect, useId, useRef, useState } from 'react';
import { Link, useSearchParams } from 'react-router-dom';
import { useMay } from '../../api/session.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { paths } from '../../lib/paths.ts';
import styles from './GeneralSettingsPage.module.css';

const ExportDialog = deferredPart(() => import('./ExportDialog.tsx'));

/** What concerns all settings at once, each on a page or in a dialog of its own. */
export function FileSettings() {
  const id = useId();
  const element = useRef<HTMLElement>(null);
  const [isExporting, setExporting] = useState(false);
  const isAdmin = useMay('admin');
  const mayRestart = useMay('systemEdit');
  const isSought = useSearchParams()[0].get('group') === 'all';
  useEffect(() => {
    if (isSought) element.current?.scrollIntoView({ block: 'center' });
  }, [isSought]);
  if (!mayRestart) return null;
  return (
    <section ref={element} className={styles.group} aria-labelledby={id}>
      <div className={styles.intro}>
        <h2 id={id}>
          <Trans>All settings</Trans>
        </h2>
        <div className={styles.introText}>
          <Trans>
            An export keeps all settings in a file, for this hub or another one. Firmware files, logs and pictures are
            not part of it.
          </Trans>
        </div>
      </div>
      <div className={styles.acts}>
        {isAdmin && (
          <>
            <Button variant="default" onClick={() => setExporting(true)}>
              <Trans>Export…</Trans>
            </Button>
            <Button variant="default" component={Link} to={paths.importSettings}>
              <Trans>Import…</Trans>
            </Button>
          </>
        )}
        <Button variant="default" component={Link} to={paths.reboot}>
          <Trans>Restart…</Trans>
        </Button>
        {isAdmin && (
          <Button variant="default" component={Link} to={paths.reset}>
            <Trans>Reset all settings…</Trans>
          </Button>
        )}
      </div>
      {isExporting && <ExportDialog onClose={() => setExporting(false)} />}
    </section>
  );
}
