/** How well the clock of the hub follows NTP. */
import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import type { TimeView } from '../../../../daemon/contract/time.ts';
import type { SyncState, TimeSourceState } from '../../../../daemon/contract/time-states.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import styles from './ClockState.module.css';

const stateText = {
  synchronized: msg`The clock follows NTP`,
  waiting: msg`The clock waits for an NTP server`,
  off: msg`NTP is off`,
  unknown: msg`The state of the clock is unknown`,
} satisfies Record<SyncState, MessageDescriptor>;

const sourceText = {
  selected: msg`in use`,
  combined: msg`in use`,
  unused: msg`reachable`,
  unreachable: msg`does not answer`,
  unusable: msg`not usable yet`,
  wrong: msg`differs from the others`,
} satisfies Record<TimeSourceState, MessageDescriptor>;

const tones: Readonly<Record<SyncState, string | undefined>> = {
  ...{ synchronized: styles.good, waiting: styles.warn, off: styles.idle, unknown: styles.warn },
};

export function ClockState({ time }: { time: TimeView }) {
  const { i18n } = useLingui();
  const { state, zone, now, sources, 'offset-ms': offset } = time;
  const date = useFormat().dateTime(now, zone);
  return (
    <div className={styles.state}>
      <p className={styles.now}>
        <span className={tones[state]}>●</span> {i18n._(stateText[state])}
        <span className={styles.date}>{date}</span>
      </p>
      {offset !== undefined && <Offset ms={offset} />}
      {sources.length > 0 && (
        <ul className={styles.sources}>
          {sources.map((source) => (
            <li key={source.name}>
              <code>{source.name}</code> <span>{i18n._(sourceText[source.state])}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The scale of the picture: each third is ten times the one inside it, from 1 to 1000 ms. */
const decades = 3;

function Offset({ ms }: { ms: number }) {
  const { i18n } = useLingui();
  const part = Math.min(1, Math.log10(1 + Math.abs(ms)) / decades) * Math.sign(ms);
  const text = i18n.number(ms, { maximumFractionDigits: 3, signDisplay: 'exceptZero' });
  return (
    <div className={styles.offset}>
      <svg viewBox="-60 0 120 12" aria-hidden="true">
        <line x1="-59" x2="59" y1="6" y2="6" />
        <line x1="0" x2="0" y1="1" y2="11" />
        <circle cx={part * 56} cy="6" r="4" />
      </svg>
      <span>
        <Trans>Offset {text} ms</Trans>
      </span>
    </div>
  );
}
