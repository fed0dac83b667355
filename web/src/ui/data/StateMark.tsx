import type { MessageDescriptor } from '@lingui/core';
import { useLingui } from '@lingui/react/macro';
import type { IconProps } from '@tabler/icons-react';
import type { ComponentType, ReactNode } from 'react';
import styles from './StateMark.module.css';

type Tone = 'live' | 'warn' | 'fault' | 'info' | 'off';

/** How a state is shown. */
export interface Look {
  readonly tone: Tone;
  readonly icon: ComponentType<IconProps>;
  readonly text: MessageDescriptor;
}

interface StateMarkProps {
  readonly tone: Tone;
  readonly icon: ComponentType<IconProps>;
  readonly children: ReactNode;
  /** With a tinted background, for page headers. */
  readonly isProminent?: boolean;
}

/** A state is never indicated by color alone: color, icon and text. */
export function StateMark({ tone, icon: Icon, children, isProminent = false }: StateMarkProps) {
  return (
    <span className={styles.mark} data-tone={tone} data-prominent={isProminent}>
      <Icon size={isProminent ? 15 : 14} stroke={2} aria-hidden />
      <span>{children}</span>
    </span>
  );
}

export function LookMark({ look, isProminent = false }: { look: Look; isProminent?: boolean }) {
  const { i18n } = useLingui();
  return (
    <StateMark tone={look.tone} icon={look.icon} isProminent={isProminent}>
      {i18n._(look.text)}
    </StateMark>
  );
}
