/** Converts alarm rules to form values and back. */
import { AlarmRules, DeviceAlarmRules } from '../../../../daemon/contract/alarm-fields.ts';
import type { DeviceRuleKind, RuleKind } from '../../../../daemon/contract/alarm-kinds.ts';
import { type FieldFaults, faultsOf, numberOf } from '../../ui/form/schema-form.ts';

/** Flat: `no-audio.enable` and similar, as named in field faults. */
export type RuleValues = Record<string, string | boolean>;

type RuleNumber = 'seconds' | 'kbps' | 'per-minute' | 'percent' | 'celsius';
type Numbers<Kind extends string> = Readonly<Record<Kind, readonly RuleNumber[]>>;
type Rules<Kind extends string> = Readonly<Record<Kind, { readonly enable: boolean }>>;

/** Form field names contain no dots, because the form library treats dots as paths. */
export function fieldOf(kind: string, name: string): string {
  return `${kind}:${name}`;
}

/** Maps a path of the request to a field of the form. */
export function fieldOfPath(path: string): string {
  return path.replace(/^rules\./, '').replace('.', ':');
}

export interface RulesForm<All> {
  readonly kinds: readonly (keyof All & string)[];
  readonly numbersOf: Numbers<keyof All & string>;
  readonly valuesOf: (rules: All) => RuleValues;
  readonly rulesOf: (values: RuleValues) => All;
  readonly check: (values: RuleValues) => FieldFaults;
}

function rulesForm<All extends Rules<keyof All & string>>(
  schema: Parameters<typeof faultsOf>[0],
  numbersOf: Numbers<keyof All & string>,
): RulesForm<All> {
  const kinds = Object.keys(numbersOf) as (keyof All & string)[];
  const rulesOf = (values: RuleValues): All => {
    const entries = kinds.map((kind) => {
      const numbers = numbersOf[kind].map((name) => [name, numberOf(String(values[fieldOf(kind, name)]))]);
      return [kind, { enable: values[fieldOf(kind, 'enable')] === true, ...Object.fromEntries(numbers) }];
    });
    return Object.fromEntries(entries) as All;
  };
  return {
    ...{ kinds, numbersOf, rulesOf },
    valuesOf(rules) {
      const entries = kinds.flatMap((kind) =>
        Object.entries(rules[kind]).map(([name, value]) => {
          return [fieldOf(kind, name), typeof value === 'number' ? String(value) : value === true] as const;
        }),
      );
      return Object.fromEntries(entries);
    },
    check: (values) =>
      Object.fromEntries(
        Object.entries(faultsOf(schema, rulesOf(values))).map(([path, rule]) => [path.replace('.', ':'), rule]),
      ),
  };
}

export const channelRules = rulesForm<AlarmRules>(AlarmRules, {
  'no-input': ['seconds'],
  'no-video': ['seconds'],
  'no-audio': ['seconds'],
  'bitrate-below': ['kbps', 'seconds'],
  'cc-errors': ['per-minute'],
  'srt-loss': ['percent'],
  'on-backup': ['seconds'],
  'on-slate': ['seconds'],
  'output-failed': ['seconds'],
} satisfies Record<RuleKind, readonly RuleNumber[]>);

export const deviceRules = rulesForm<DeviceAlarmRules>(DeviceAlarmRules, {
  'device-offline': ['seconds'],
  'device-problem': ['seconds'],
  'device-no-signal': ['seconds'],
  'device-hot': ['celsius', 'seconds'],
  'device-storage': ['percent', 'seconds'],
  'device-network': ['seconds'],
} satisfies Record<DeviceRuleKind, readonly RuleNumber[]>);
