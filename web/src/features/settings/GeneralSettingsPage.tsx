import { Trans, useLingui } from '@lingui/react/macro';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useMay } from '../../api/session.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { settingsQuery } from '../../shared/system/settings-query.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import styles from './GeneralSettingsPage.module.css';
import { HubNameSettings } from './HubNameSettings.tsx';

const FurtherSettings = deferredPart(() => import('./FurtherSettings.tsx'));

/** Each group is saved separately, as the API requires. */
export default function GeneralSettingsPage() {
  const { t } = useLingui();
  const settings = useSuspenseQuery(settingsQuery).data;
  const mayEdit = useMay('systemEdit');
  return (
    <>
      <PageHeader title={t`General`} />
      <div className={styles.groups}>
        {!mayEdit && <Banner tone="info" title={<Trans>You can view these settings, but not change them.</Trans>} />}
        <HubNameSettings settings={settings} />
        <FurtherSettings settings={settings} />
      </div>
    </>
  );
}
