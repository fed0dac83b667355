import { msg } from '@lingui/core/macro';
import { IconAlertTriangle, IconBug, IconInfoCircle, IconXboxX } from '@tabler/icons-react';
import { memo } from 'react';
import type { SystemLogLevel, SystemLogLine } from '../../../../daemon/contract/system-log.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { type Look, LookMark } from '../../ui/data/StateMark.tsx';
import { LineText } from './LineText.tsx';
import styles from './SystemLog.module.css';

const looks: Readonly<Record<SystemLogLevel, Look>> = {
  debug: { text: msg`Debug`, tone: 'off', icon: IconBug },
  info: { text: msg`Information`, tone: 'off', icon: IconInfoCircle },
  warn: { text: msg`Warning`, tone: 'warn', icon: IconAlertTriangle },
  error: { text: msg`Error`, tone: 'fault', icon: IconXboxX },
};

export const LogLine = memo(function LogLine({ line: { time, level, scope, text } }: { line: SystemLogLine }) {
  const format = useFormat();
  return (
    // biome-ignore lint/a11y/useSemanticElements: its list is not an HTML list element
    <div role="listitem" className={styles.line}>
      <time dateTime={new Date(time).toISOString()}>{format.dateTime(time)}</time>
      <LookMark look={looks[level]} />
      {/* Log lines are in English, regardless of the console language. */}
      <span lang="en" className={styles.scope}>
        <LineText text={scope} />
      </span>
      <span lang="en" className={styles.text}>
        <LineText text={text} />
      </span>
    </div>
  );
});
