import { Trans, useLingui } from '@lingui/react/macro';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { useMay } from '../../api/session.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { paths } from '../../lib/paths.ts';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { settingsQuery } from '../../shared/system/settings-query.ts';
import { UnconfirmedMove } from '../../shared/system/UnconfirmedMove.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import styles from './Certificate.module.css';
import { certificateQuery } from './certificate-calls.ts';
import { InstallPanel } from './InstallPanel.tsx';
import { PresentPanel } from './PresentPanel.tsx';

/** Loaded separately: the panels above it must not wait for its schemas. */
const RequestPanel = deferredPart(() => import('./RequestPanel.tsx'));

/** The certificate with which the hub serves this console and the API over HTTPS. */
export default function CertificatePage() {
  const { t } = useLingui();
  const { web, unconfirmed } = useSuspenseQuery(settingsQuery).data;
  const { certificate } = useSuspenseQuery(certificateQuery).data;
  const mayEdit = useMay('systemEdit');
  const ports = { httpPort: web['http-port'], isHttps: web['enable-https'], httpsPort: web['https-port'] };
  return (
    <>
      <PageHeader title={t`Certificate`} />
      <div className={styles.page}>
        {!mayEdit && <Banner tone="info" title={<Trans>You can view these settings, but not change them.</Trans>} />}
        {unconfirmed?.web !== undefined && <UnconfirmedMove deadline={unconfirmed.web} ports={ports} />}
        {!web['enable-https'] && (
          <Banner tone="info" title={<Trans>HTTPS is off</Trans>}>
            <Trans>
              The certificate is used once HTTPS is on, in the section{' '}
              <Link to={`${paths.generalSettings}?group=web`}>Web access</Link> of the page General.
            </Trans>
          </Banner>
        )}
        <PresentPanel certificate={certificate} web={web} />
        {mayEdit && <InstallPanel requestedAt={web['cert-requested']} />}
        {mayEdit && <RequestPanel requestedAt={web['cert-requested']} />}
      </div>
    </>
  );
}
