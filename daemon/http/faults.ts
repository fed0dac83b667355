/** Turns what a schema found into the faults of the API: wire path, a rule word the console translates, a sentence. */
import type * as z from 'zod/mini';
import type { FieldFault } from '../contract/result.ts';
import { HubError } from '../lib/hub-error.ts';

type Issue = z.core.$ZodIssue;

const mostFaults = 20;
const ruleWord = /^[a-z][A-Za-z0-9]*$/;

export function invalidArgument(issues: readonly Issue[], input: unknown): HubError {
  const fields = issues
    .flatMap((issue) => faultsOf(issue, []))
    .slice(0, mostFaults)
    .map(({ path, issue }) => asFault(path, issue, input));
  return new HubError('invalidArgument', fields.map((fault) => fault.message).join('; '), { fields });
}

interface Found {
  readonly path: readonly PropertyKey[];
  readonly issue: Issue;
}

/** Of a union the branch that was probably meant speaks: the one that was understood deepest. */
function faultsOf(issue: Issue, prefix: readonly PropertyKey[]): Found[] {
  const path = [...prefix, ...issue.path, ...(issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [])];
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [{ path, issue }];
  const branches = issue.errors.map((errors) => errors.flatMap((inner) => faultsOf(inner, path)));
  const depth = (branch: Found[]) => Math.max(...branch.map((found) => found.path.length));
  const [best] = branches.toSorted((a, b) => depth(b) - depth(a) || a.length - b.length);
  return best ?? [{ path, issue }];
}

function asFault(path: readonly PropertyKey[], issue: Issue, input: unknown): FieldFault {
  const wirePath = path.map(String).join('.');
  const rule = ruleOf(issue, isMissing(input, path));
  return { path: wirePath, rule, message: wirePath === '' ? rule : `${wirePath}: ${rule}` };
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

function isMissing(input: unknown, path: readonly PropertyKey[]): boolean {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return value === undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value === undefined;
}
