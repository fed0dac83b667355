/** The form of a channel's backup: its fields, and their conversion to a failover rule. */
import { defaultFailover, FailoverRule, type FailoverRule as Rule } from '../../../../../daemon/contract/failover.ts';
import { type FieldFaults, faultsOf, numberOf } from '../../../ui/form/schema-form.ts';

/** Numbers are kept as typed text. */
export interface FailoverValues {
  /** Id of the backup; '0' for none. */
  readonly backup: string;
  readonly standby: Rule['standby'];
  readonly noData: string;
  readonly noVideo: string;
  readonly noAudio: string;
  readonly back: Rule['back'];
  readonly stable: string;
  readonly slate: Rule['slate'];
}

export function valuesOf(backup: number, rule: Rule = defaultFailover): FailoverValues {
  return {
    backup: String(backup),
    standby: rule.standby,
    noData: String(rule['no-data-ms']),
    noVideo: String(rule['no-video-ms']),
    noAudio: String(rule['no-audio-ms']),
    back: rule.back,
    stable: String(rule['stable-s']),
    slate: rule.slate,
  };
}

export function ruleOf(values: FailoverValues): Rule {
  return {
    standby: values.standby,
    'no-data-ms': numberOf(values.noData),
    'no-video-ms': numberOf(values.noVideo),
    'no-audio-ms': numberOf(values.noAudio),
    back: values.back,
    'stable-s': numberOf(values.stable),
    slate: values.slate,
  };
}

const fields: Readonly<Record<string, keyof FailoverValues>> = {
  'no-data-ms': 'noData',
  'no-video-ms': 'noVideo',
  'no-audio-ms': 'noAudio',
  'stable-s': 'stable',
};

/** Maps a path of the rule to a field of the form. */
export function fieldOfPath(path: string): string {
  const member = path.replace(/^failover\./, '');
  return fields[member] ?? member;
}

export function checkFailover(values: FailoverValues): FieldFaults {
  // Without a backup the rule is not used.
  if (values.backup === '0') return {};
  const faults = Object.entries(faultsOf(FailoverRule, ruleOf(values)));
  return Object.fromEntries(faults.map(([path, rule]) => [fieldOfPath(path), rule]));
}
