import { useLingui } from '@lingui/react/macro';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import styles from './LogFilters.module.css';
import { parseMoment, shownMoment } from './moment-text.ts';

interface MomentFieldProps {
  readonly label: string;
  /** As in the address: `2026-11-22T16:49`, or '' for none. */
  readonly value: string;
  /** What a date without a time means. */
  readonly timeOfDay: '00:00' | '23:59';
  readonly onChange: (value: string) => void;
}

/** A date and time in one format for every browser: the native field follows the browser's language, not the console's. */
export function MomentField({ label, value, timeOfDay, onChange }: MomentFieldProps) {
  const { t } = useLingui();
  const [typed, setTyped] = useState<string>();
  const moment = typed === undefined ? value : parseMoment(typed, timeOfDay);
  const accept = (text: string) => {
    setTyped(text);
    const next = parseMoment(text, timeOfDay);
    if (next !== undefined && next !== value) onChange(next);
  };
  return (
    <TextInput
      size="xs"
      label={label}
      placeholder="2026-11-22 16:49"
      autoComplete="off"
      spellCheck={false}
      maxLength={16}
      className={styles.moment}
      value={typed ?? shownMoment(value)}
      error={moment === undefined && t`For example 2026-11-22 16:49`}
      onChange={(event) => accept(event.currentTarget.value)}
      onBlur={() => moment !== undefined && setTyped(undefined)}
    />
  );
}
