import { useLingui } from '@lingui/react/macro';
import { useSuspenseQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { PageHeader } from '../../shell/PageHeader.tsx';
import styles from './GeneralSettingsPage.module.css';
import { InvitationSettings } from './InvitationSettings.tsx';
import { LanguageSettings } from './LanguageSettings.tsx';
import { PasswordRuleSettings } from './PasswordRuleSettings.tsx';
import { RtmpSettings } from './RtmpSettings.tsx';
import { SessionSettings } from './SessionSettings.tsx';
import { SrtSettings } from './SrtSettings.tsx';
import { settingsQuery } from './settings-query.ts';
import { WebSettings } from './WebSettings.tsx';

const WebhookSettings = lazy(() => import('../alarms/WebhookSettings.tsx'));

/** Each group is saved by itself, as the hub takes them. */
export default function GeneralSettingsPage() {
  const { t } = useLingui();
  const settings = useSuspenseQuery(settingsQuery).data;
  return (
    <>
      <PageHeader title={t`General`} />
      <div className={styles.groups}>
        <RtmpSettings settings={settings} />
        <SrtSettings settings={settings} />
        <SessionSettings settings={settings} />
        <PasswordRuleSettings settings={settings} />
        <InvitationSettings settings={settings} />
        <LanguageSettings settings={settings} />
        <WebSettings settings={settings} />
        <Suspense fallback={null}>
          <WebhookSettings />
        </Suspense>
      </div>
    </>
  );
}
