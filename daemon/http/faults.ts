/** Converts schema issues to API field errors: request path, a rule word that the console translates, a message. */
import type * as z from 'zod/mini';
import type { FieldFault } from '../contract/result.ts';
import { fieldFault } from '../lib/field-fault.ts';
import { HubError } from '../lib/hub-error.ts';
import { memberNames } from './unknown-members.ts';

type Issue = z.core.$ZodIssue;

const maxFaults = 20;
/** A body may have tens of thousands; several may be of one member. */
const maxFound = 10 * maxFaults;
const ruleWord = /^[a-z][A-Za-z0-9]*$/;

/** `schema`: what the input was checked against. */
export function invalidArgument(issues: readonly Issue[], input: unknown, schema: z.ZodMiniType): HubError {
  const found = issues.flatMap((issue) => faultsOf(issue, [])).slice(0, maxFound);
  const faults = found.map((one) => asFault(one, input, schema));
  // Two checks may have the same rule; the later one says more.
  const byRule = new Map(faults.map((fault) => [`${fault.path} ${fault.rule}`, fault]));
  const fields = [...byRule.values()].slice(0, maxFaults);
  return new HubError('invalidArgument', fields.map((fault) => fault.message).join('; '), { fields });
}

interface Found {
  readonly path: readonly PropertyKey[];
  readonly issue: Issue;
}

/** For a union, reports the branch that was probably meant: the one that matched deepest. */
function faultsOf(issue: Issue, prefix: readonly PropertyKey[]): Found[] {
  const path = [...prefix, ...issue.path];
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => ({ path: [...path, key], issue }));
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [{ path, issue }];
  const branches = issue.errors.map((errors) => errors.flatMap((inner) => faultsOf(inner, path)));
  if (branches.flat().every((inner) => isValueAt(inner, path))) return [{ path, issue }];
  const depth = (branch: Found[]) => Math.max(...branch.map((found) => found.path.length));
  const [best] = branches.toSorted((a, b) => depth(b) - depth(a) || a.length - b.length);
  return best ?? [{ path, issue }];
}

/** A value that is none of a list, and not a fault within a member. */
const isValueAt = ({ path, issue }: Found, of: readonly PropertyKey[]): boolean =>
  issue.code === 'invalid_value' && path.length === of.length;

function asFault({ path, issue }: Found, input: unknown, schema: z.ZodMiniType): FieldFault {
  const wirePath = path.map(String).join('.');
  const value = valueAt(input, path);
  const rule = ruleOf(issue, value === undefined);
  // The value of an unknown member may be a secret under a misspelt name.
  if (issue.code !== 'unrecognized_keys') return fieldFault(wirePath, rule, { issue, value });
  const values = memberNames(schema, path.slice(0, -1));
  return fieldFault(wirePath, rule, { issue: values.length > 0 ? { values } : {}, value: undefined });
}

function ruleOf(issue: Issue, missing: boolean): string {
  if (missing) return 'required';
  if (ruleWord.test(issue.message)) return issue.message;
  if (issue.code === 'unrecognized_keys') return 'unsupported';
  if (issue.code === 'invalid_type') return issue.expected === 'number' || issue.expected === 'int' ? 'number' : 'type';
  if (issue.code === 'invalid_value' || issue.code === 'invalid_union') return 'choice';
  if (issue.code === 'too_small' || issue.code === 'too_big') return 'range';
  return 'format';
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return value;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}
