import { Plural, useLingui } from '@lingui/react/macro';
import { IconBell, IconBellRinging } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'react-router-dom';
import type { Alarm } from '../../../../daemon/contract/alarms.ts';
import { useMay } from '../../api/session.ts';
import { alarmKindText, alarmPlaceText } from '../../i18n/alarm-text.ts';
import { paths } from '../../lib/paths.ts';
import { notifyOfAlarm, playAlarmSound, useAlarmSignals } from '../../shared/alarms/alarm-signals.ts';
import { callsForAttention, newCalls, stillKnown } from '../../shared/alarms/alarm-state.ts';
import { useKnownAlarms } from '../../shared/alarms/alarms-query.ts';
import { useTitleCount } from '../../shared/page/title-count.ts';
import { useNow } from '../../ui/data/useNow.ts';
import bar from '../frame/TopBar.module.css';
import styles from './AlarmBell.module.css';

/** Mutes end by time. */
const stepMs = 5000;

/** How many alarms call for attention, also in the title of the window; announces new ones. */
export default function AlarmBell() {
  const { t } = useLingui();
  const may = useMay('channelView');
  const alarms = useKnownAlarms();
  const now = useNow(stepMs);
  const calling = (alarms ?? []).filter((alarm) => callsForAttention(alarm, now));
  const count = calling.length;
  const isCritical = calling.some(({ severity }) => severity === 'critical');
  useEffect(() => {
    useTitleCount.setState({ count });
    return () => useTitleCount.setState({ count: 0 });
  }, [count]);
  const news = useNews(alarms);
  if (!may) return null;
  const label = count === 0 ? t`Alarms` : t`Alarms: ${count} unacknowledged`;
  const Icon = count === 0 ? IconBell : IconBellRinging;
  return (
    <>
      <Link className={bar.button ?? ''} to={paths.alarms} aria-label={label} title={label}>
        <Icon size={18} stroke={1.7} aria-hidden />
        {count > 0 && (
          <span className={styles.count} data-tone={isCritical ? 'fault' : 'warn'} aria-hidden="true">
            {count > 99 ? '99+' : count}
          </span>
        )}
      </Link>
      <div className={styles.announcement} role="log" aria-live="assertive" aria-label={t`New alarms`}>
        {news.length > 0 && <Announcement news={news} />}
      </div>
    </>
  );
}

const maxRead = 3;

function Announcement({ news }: { news: readonly Alarm[] }) {
  const textOf = useAlarmLine();
  const rest = news.length - maxRead;
  return (
    <>
      {news.slice(0, maxRead).map((alarm) => (
        <p key={alarm.id}>{textOf(alarm)}</p>
      ))}
      {rest > 0 && (
        <p>
          <Plural value={rest} one="# more alarm" other="# more alarms" />
        </p>
      )}
    </>
  );
}

function useAlarmLine() {
  const { i18n, t } = useLingui();
  return (alarm: Alarm): string => {
    const { kind, output } = alarm;
    const place = alarmPlaceText(i18n, alarm);
    const text = alarmKindText(i18n, kind);
    return output === undefined ? t`${place}: ${text}` : t`${place} → ${output.name}: ${text}`;
  };
}

/** Returns the newest alarms, after playing the sound and showing the notification that the user has chosen. */
function useNews(alarms: readonly Alarm[] | undefined): readonly Alarm[] {
  const { t } = useLingui();
  const textOf = useAlarmLine();
  // Not a dependency below: another language is no news.
  const notify = useRef<(fresh: readonly Alarm[], isCritical: boolean) => void>(undefined);
  notify.current = (fresh, isCritical) =>
    notifyOfAlarm(
      isCritical ? t`Critical alarm` : t`Alarm`,
      fresh.map(textOf).join('\n'),
      Math.max(...fresh.map(({ id }) => id)),
    );
  const known = useRef<ReadonlySet<number>>(undefined);
  const [news, setNews] = useState<readonly Alarm[]>([]);
  useEffect(() => {
    if (alarms === undefined) return;
    const fresh = newCalls(known.current, alarms, Date.now());
    known.current = stillKnown(known.current, alarms);
    if (fresh.length === 0) return;
    setNews(fresh);
    const { sound, notification } = useAlarmSignals.getState();
    const isCritical = fresh.some(({ severity }) => severity === 'critical');
    if (sound) playAlarmSound(isCritical ? 'critical' : 'warning');
    if (notification) notify.current?.(fresh, isCritical);
  }, [alarms]);
  return news;
}
