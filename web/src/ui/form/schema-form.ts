/** Checks forms with the contract's schemas; field faults that only the hub can detect use the same rule words. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { type RuleIssue, ruleFacts } from '../../../../daemon/contract/rule-facts.ts';
import { ruleWith } from '../../i18n/rule-text.ts';

/** Field path to rule word, with its facts where its sentence has them: `tooLong?max=63`, `atLeast:20`. */
export type FieldFaults = Record<string, string>;

/** Parses a typed whole number; anything else is NaN, which the schemas reject. */
export function numberOf(text: string): number {
  return /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
}

export function faultsOf(schema: StandardSchemaV1, value: unknown): FieldFaults {
  const outcome = schema['~standard'].validate(value);
  if (outcome instanceof Promise) throw new Error('a form schema must be synchronous');
  const faults: FieldFaults = {};
  for (const issue of outcome.issues ?? []) {
    const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
    faults[path] ??= issue.message === 'range' ? limitOf(issue) : factsOf(issue, valueAt(value, path));
  }
  return faults;
}

/** Faults of a value that has no fields: at most one, at the field of this name. */
export function faultAt(field: string, schema: StandardSchemaV1, value: unknown): FieldFaults {
  const { '': rule } = faultsOf(schema, value);
  return rule === undefined ? {} : { [field]: rule };
}

const factsOf = (issue: StandardSchemaV1.Issue & RuleIssue, value: unknown): string =>
  ruleWith(issue.message, ruleFacts(issue, value));

function valueAt(value: unknown, path: string): unknown {
  return path === '' ? value : Object.entries(value ?? {}).find(([name]) => name === path)?.[1];
}

/** The limit of an issue, which the library reports beyond the Standard Schema. */
function limitOf(issue: StandardSchemaV1.Issue & { readonly minimum?: unknown; readonly maximum?: unknown }): string {
  if (typeof issue.minimum === 'number') return `atLeast:${issue.minimum}`;
  return typeof issue.maximum === 'number' ? `atMost:${issue.maximum}` : issue.message;
}
