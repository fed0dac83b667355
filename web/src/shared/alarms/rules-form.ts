/** Converts the alarm rules of a channel to form values and back. */
import { AlarmRules } from '../../../../daemon/contract/alarm-fields.ts';
import type { RuleKind } from '../../../../daemon/contract/alarm-kinds.ts';
import { type FieldFaults, faultsOf, numberOf } from '../../ui/form/schema-form.ts';

/** Flat: `no-audio.enable` and similar, as named in field faults. */
export type RuleValues = Record<string, string | boolean>;

export const numbersOf = {
  'no-input': ['seconds'],
  'no-video': ['seconds'],
  'no-audio': ['seconds'],
  'bitrate-below': ['kbps', 'seconds'],
  'cc-errors': ['per-minute'],
  'srt-loss': ['percent'],
  'on-backup': ['seconds'],
  'on-slate': ['seconds'],
  'output-failed': ['seconds'],
} as const satisfies Record<RuleKind, readonly string[]>;
export type RuleNumber = (typeof numbersOf)[RuleKind][number];

/** Form field names contain no dots, because the form library treats dots as paths. */
export function fieldOf(kind: string, name: string): string {
  return `${kind}:${name}`;
}

const kinds = Object.keys(numbersOf) as RuleKind[];

export function valuesOf(rules: AlarmRules): RuleValues {
  const entries = kinds.flatMap((kind) =>
    Object.entries(rules[kind]).map(([name, value]) => {
      return [fieldOf(kind, name), typeof value === 'number' ? String(value) : value] as const;
    }),
  );
  return Object.fromEntries(entries);
}

export function rulesOf(values: RuleValues): AlarmRules {
  const entries = kinds.map((kind) => {
    const numbers = numbersOf[kind].map((name) => [name, numberOf(String(values[fieldOf(kind, name)]))]);
    return [kind, { enable: values[fieldOf(kind, 'enable')] === true, ...Object.fromEntries(numbers) }];
  });
  return Object.fromEntries(entries) as AlarmRules;
}

export function checkRules(values: RuleValues): FieldFaults {
  const faults = Object.entries(faultsOf(AlarmRules, rulesOf(values)));
  return Object.fromEntries(faults.map(([path, rule]) => [path.replace('.', ':'), rule]));
}

/** Maps a path of the request to a field of the form. */
export function fieldOfPath(path: string): string {
  return path.replace(/^rules\./, '').replace('.', ':');
}
