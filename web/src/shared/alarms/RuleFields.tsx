import { useLingui } from '@lingui/react/macro';
import { Checkbox, TextInput } from '@mantine/core';
import { alarmKindText } from '../../i18n/alarm-text.ts';
import type { SchemaForm } from '../../ui/form/useSchemaForm.ts';
import styles from './AlarmPanel.module.css';
import { fieldOf, type RulesForm, type RuleValues } from './rules-form.ts';

interface RuleFieldsProps {
  readonly form: SchemaForm<RuleValues>['form'];
  readonly rules: Pick<RulesForm<Record<string, unknown>>, 'kinds' | 'numbersOf'>;
}

/** A line for each kind of alarm: whether it is raised, and its thresholds. */
export function RuleFields({ form, rules: { kinds, numbersOf } }: RuleFieldsProps) {
  const { i18n, t } = useLingui();
  const units = { seconds: t`s`, kbps: 'kb/s', percent: '%', 'per-minute': t`per min`, celsius: '°C' };
  return kinds.map((kind) => {
    const name = alarmKindText(i18n, kind);
    return (
      <div key={kind} className={styles.rule}>
        <Checkbox label={name} {...form.getInputProps(fieldOf(kind, 'enable'), { type: 'checkbox' })} />
        <div className={styles.numbers}>
          {(numbersOf[kind] ?? []).map((number) => (
            <TextInput
              key={number}
              aria-label={`${name}, ${units[number]}`}
              inputMode="numeric"
              rightSection={units[number]}
              rightSectionWidth={number === 'per-minute' ? 72 : 52}
              disabled={form.values[fieldOf(kind, 'enable')] !== true}
              {...form.getInputProps(fieldOf(kind, number))}
            />
          ))}
        </div>
      </div>
    );
  });
}
