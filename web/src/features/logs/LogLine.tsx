import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import { IconAlertTriangle, IconBug, IconInfoCircle, type IconProps, IconXboxX } from '@tabler/icons-react';
import { type ComponentType, memo } from 'react';
import type { SystemLogLevel, SystemLogLine } from '../../../../daemon/contract/system-log.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { StateMark, type Tone } from '../../ui/data/StateMark.tsx';
import styles from './SystemLog.module.css';

interface Look {
  readonly name: MessageDescriptor;
  readonly tone: Tone;
  readonly icon: ComponentType<IconProps>;
}

const looks: Readonly<Record<SystemLogLevel, Look>> = {
  debug: { name: msg`Debug`, tone: 'off', icon: IconBug },
  info: { name: msg`Information`, tone: 'off', icon: IconInfoCircle },
  warn: { name: msg`Warning`, tone: 'warn', icon: IconAlertTriangle },
  error: { name: msg`Error`, tone: 'fault', icon: IconXboxX },
};

export const LogLine = memo(function LogLine({ line: { time, level, scope, text } }: { line: SystemLogLine }) {
  const { i18n } = useLingui();
  const format = useFormat();
  const { name, tone, icon } = looks[level];
  return (
    // biome-ignore lint/a11y/useSemanticElements: its list is not an HTML list element
    <div role="listitem" className={styles.line}>
      <time dateTime={new Date(time).toISOString()}>{format.dateTime(time)}</time>
      <StateMark tone={tone} icon={icon}>
        {i18n._(name)}
      </StateMark>
      {/* Log lines are in English, regardless of the console language. */}
      <span lang="en" className={styles.scope}>
        {scope}
      </span>
      <span lang="en" className={styles.text}>
        {text}
      </span>
    </div>
  );
});
