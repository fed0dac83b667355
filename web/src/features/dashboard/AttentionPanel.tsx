import { msg } from '@lingui/core/macro';
import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { IconAlertTriangle, IconCircleX } from '@tabler/icons-react';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { alarmKindText, alarmPlaceText, alarmReasonText } from '../../i18n/alarm-text.ts';
import { reasonText } from '../../i18n/reason-text.ts';
import { channelPath, devicePath, paths } from '../../lib/paths.ts';
import { useActiveAlarms } from '../../shared/alarms/alarms-query.ts';
import { useChannels } from '../../shared/streams/channels-query.ts';
import { channelLooks, outputLook } from '../../shared/streams/state-look.ts';
import { Lasting } from '../../ui/data/Lasting.tsx';
import { StateMark } from '../../ui/data/StateMark.tsx';
import { useNow } from '../../ui/data/useNow.ts';
import { Panel } from '../../ui/layout/Panel.tsx';
import { type Attention, attentionOf, type Problem } from './attention.ts';
import styles from './DashboardPage.module.css';

/** The style sheet hides the last of them on phones. */
const maxShown = 8;
const shownOnPhone = 5;

/** Channels whose program is lost or degraded, and alarms of devices and the hub. Not rendered when all is well. */
export function AttentionPanel() {
  const channels = useChannels().data;
  const alarms = useActiveAlarms();
  const now = useNow(1000);
  const list = attentionOf(channels ?? [], alarms);
  if (list.length === 0) return null;
  return (
    <Panel title={<Trans>Needs attention</Trans>} aside={<Counts list={list} />} isFlush>
      <ul className={`${styles.rows} ${styles.attentionRows}`}>
        {list.slice(0, maxShown).map((entry) => (
          <AttentionRow key={entry.key} entry={entry} now={now} />
        ))}
      </ul>
      {list.length > shownOnPhone && (
        <p className={styles.more} data-fits={list.length <= maxShown}>
          <Link to={list.some(({ channel }) => channel === undefined) ? paths.alarms : `${paths.channels}?sort=state`}>
            <Trans>See all {list.length}</Trans>
          </Link>
        </p>
      )}
    </Panel>
  );
}

/** How many programs are lost and how many are degraded. */
function Counts({ list }: { list: readonly Attention[] }) {
  const lost = list.filter(({ severity }) => severity === 'critical').length;
  const degraded = list.length - lost;
  return (
    <span className={styles.counts}>
      {lost > 0 && (
        <StateMark tone="fault" icon={IconCircleX}>
          <Trans>{lost} lost</Trans>
        </StateMark>
      )}
      {degraded > 0 && (
        <StateMark tone="warn" icon={IconAlertTriangle}>
          <Trans>{degraded} degraded</Trans>
        </StateMark>
      )}
    </span>
  );
}

function AttentionRow({ entry, now }: { entry: Attention; now: number }) {
  const { i18n } = useLingui();
  const { channel, device, severity, main, others } = entry;
  const word = useProblemWord();
  const reason = useProblemReason();
  const isLost = severity === 'critical';
  const only = main.what === 'outputs' && main.failed.length === 1 ? main.failed[0] : undefined;
  const notes = [
    reason(main, channel),
    ...others.map((problem) => word(problem, channel)),
    main.since !== undefined && <Lasting since={main.since} now={now} />,
  ].filter((note) => note !== undefined && note !== false && note !== '');
  return (
    <li className={styles.row}>
      <div className={styles.rowText}>
        {device !== undefined ? (
          <Link className={styles.rowName ?? ''} to={devicePath(device.sn)}>
            {device.name}
          </Link>
        ) : channel === undefined ? (
          <span className={styles.rowName}>
            {main.what === 'alarm' ? alarmPlaceText(i18n, main.alarm) : <Trans>Hub</Trans>}
          </span>
        ) : (
          <Link className={styles.rowName ?? ''} to={channelPath(channel.id)}>
            {channel.name}
            {only !== undefined && ` → ${only.name}`}
          </Link>
        )}
        <div className={styles.rowNote}>
          {notes.map((note, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the notes have no identity of their own
            <Fragment key={at}>
              {at > 0 && ' · '}
              {note}
            </Fragment>
          ))}
        </div>
      </div>
      <span>
        <StateMark tone={isLost ? 'fault' : 'warn'} icon={isLost ? IconCircleX : IconAlertTriangle}>
          {word(main, channel)}
        </StateMark>
      </span>
    </li>
  );
}

/** Returns the word for a problem. */
function useProblemWord() {
  const { i18n } = useLingui();
  return (problem: Problem, channel: Attention['channel']): ReactNode => {
    if (problem.what === 'alarm') return alarmKindText(i18n, problem.alarm.kind);
    if (problem.what === 'slate') return i18n._(msg`Slate on air`);
    if (problem.what === 'state') return channel && i18n._(channelLooks[channel.state].text);
    const [first, second] = problem.failed;
    if (first !== undefined && second === undefined) return i18n._(outputLook(first).text);
    return <Plural value={problem.failed.length} one="# output failed" other="# outputs failed" />;
  };
}

/** Returns why it happened, as far as that is known. */
function useProblemReason() {
  const { i18n } = useLingui();
  return (problem: Problem, channel: Attention['channel']): string | undefined => {
    if (problem.what === 'outputs') return reasonText(i18n, problem.failed.find(({ reason }) => reason)?.reason);
    if (problem.what === 'alarm' && problem.alarm.kind !== 'no-input')
      return alarmReasonText(i18n, problem.alarm.reason);
    return channel && reasonText(i18n, channel.input.reason);
  };
}
