import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { CertificateFacts } from '../../../../daemon/contract/certificates.ts';
import type { Settings } from '../../../../daemon/contract/settings.ts';
import { useMay } from '../../api/session.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import { AskToInstall } from './AskToInstall.tsx';
import styles from './Certificate.module.css';
import { CertificateFactList } from './CertificateFactList.tsx';
import { CertificateWarnings } from './CertificateWarnings.tsx';

interface PresentPanelProps {
  readonly certificate: CertificateFacts | undefined;
  readonly web: Settings['web'];
}

export function PresentPanel({ certificate, web }: PresentPanelProps) {
  const { t } = useLingui();
  const mayEdit = useMay('systemEdit');
  const [isAsked, setAsked] = useState(false);
  const isBroken = certificate !== undefined && !web['is-cert-key-valid'];
  return (
    <Panel title={<Trans>Certificate in use</Trans>}>
      <div className={styles.panel}>
        {certificate === undefined ? (
          <Missing isDamaged={web['enable-https']} />
        ) : (
          <>
            {isBroken && <Banner tone="fault" title={<Trans>The private key does not match the certificate</Trans>} />}
            <CertificateWarnings facts={certificate} />
            <CertificateFactList facts={certificate} />
          </>
        )}
        {mayEdit && certificate !== undefined && !certificate['made-by-hub'] && (
          <div className={styles.acts}>
            {web.hsts && (
              <p className={styles.hint}>
                <Trans>To use a self-signed certificate, switch HSTS off first.</Trans>
              </p>
            )}
            <Button variant="default" disabled={web.hsts} onClick={() => setAsked(true)}>
              <Trans>Return to a self-signed certificate…</Trans>
            </Button>
          </div>
        )}
      </div>
      {isAsked && (
        <AskToInstall
          title={t`Return to a self-signed certificate?`}
          changes={[t`The hub creates a new certificate. Browsers warn about it once.`]}
          web={{ 'cert-self-signed': true }}
          onInstalled={() => {}}
          onClose={() => setAsked(false)}
        />
      )}
    </Panel>
  );
}

function Missing({ isDamaged }: { isDamaged: boolean }) {
  return isDamaged ? (
    <Banner tone="fault" title={<Trans>The stored certificate is damaged</Trans>}>
      <Trans>HTTPS does not run. Install another one.</Trans>
    </Banner>
  ) : (
    <p className={styles.hint}>
      <Trans>There is none yet. The hub makes one when HTTPS is switched on.</Trans>
    </p>
  );
}
