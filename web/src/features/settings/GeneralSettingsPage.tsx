import { useLingui } from '@lingui/react/macro';
import { useSuspenseQuery } from '@tanstack/react-query';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { settingsQuery } from '../../shared/system/settings-query.ts';
import styles from './GeneralSettingsPage.module.css';
import { HubNameSettings } from './HubNameSettings.tsx';
import { RtmpSettings } from './RtmpSettings.tsx';

const FurtherSettings = deferredPart(() => import('./FurtherSettings.tsx'));

/** Each group is saved separately, as the API requires. */
export default function GeneralSettingsPage() {
  const { t } = useLingui();
  const settings = useSuspenseQuery(settingsQuery).data;
  return (
    <>
      <PageHeader title={t`General`} />
      <div className={styles.groups}>
        <HubNameSettings settings={settings} />
        <RtmpSettings settings={settings} />
        <FurtherSettings settings={settings} />
      </div>
    </>
  );
}
