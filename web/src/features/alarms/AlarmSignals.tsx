import { Trans, useLingui } from '@lingui/react/macro';
import { Switch } from '@mantine/core';
import { canNotify, switchNotification, switchSound, useAlarmSignals } from '../../shared/alarms/alarm-signals.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import styles from './AlarmListPage.module.css';

/** What this browser does when an alarm is raised. */
export function AlarmSignals() {
  const { t } = useLingui();
  const { sound, notification } = useAlarmSignals();
  const notify = async (isOn: boolean) => {
    const isNowOn = await switchNotification(isOn, t`New alarms are shown like this`);
    if (isOn && !isNowOn) showToast('error', t`The browser does not allow notifications from this page.`);
  };
  return (
    <div className={styles.signals}>
      <span>
        <Trans>In this browser, when an alarm is raised:</Trans>
      </span>
      <Switch label={t`Sound`} checked={sound} onChange={({ currentTarget }) => switchSound(currentTarget.checked)} />
      <Switch
        label={t`Notification`}
        checked={notification}
        disabled={!canNotify()}
        description={canNotify() ? undefined : t`Only over HTTPS`}
        onChange={({ currentTarget }) => void notify(currentTarget.checked)}
      />
    </div>
  );
}
