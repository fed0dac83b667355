/** The facts of a broken rule, for the sentences of both sides: the limits, what is allowed, and what was not. */

/** `min`, `max`, `allowed`, `value` and others by name. */
export type RuleFacts = Readonly<Record<string, string | number>>;

/** What is used of a schema's issue. */
export interface RuleIssue {
  readonly code?: unknown;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  /** Of a regular expression. */
  readonly pattern?: unknown;
  readonly values?: unknown;
  /** Of a union: the issues of each branch. */
  readonly errors?: unknown;
  readonly params?: unknown;
}

/** `value` is what broke the rule. Of a text, only a character that is not allowed gets into the facts. */
export function ruleFacts(issue: RuleIssue, value: unknown): RuleFacts {
  const { minimum, maximum, pattern, params } = issue;
  const values = issue.values ?? valuesOf(issue.errors);
  return {
    ...(typeof minimum === 'number' && { min: minimum }),
    ...(typeof maximum === 'number' && { max: maximum }),
    ...(Array.isArray(values) && { allowed: values.join(', ') }),
    ...(typeof pattern === 'string' && typeof value === 'string' && characterFacts(pattern, value)),
    ...(params as RuleFacts | undefined),
  };
}

/** The values that a union of them allows; undefined for one with other branches. */
function valuesOf(errors: unknown): unknown[] | undefined {
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  const values = (errors as RuleIssue[][]).flat().map((inner) => inner.values);
  return values.every((each) => Array.isArray(each)) ? values.flat() : undefined;
}

/** Reads a rule of the form `^[…]*$`, which lists characters that are allowed or refused. */
function characterFacts(pattern: string, text: string): RuleFacts {
  const [, isRefused, set = '', flags] = /^\/\^\[(\^?)(.*)\]\*\$\/([a-z]*)$/s.exec(pattern) ?? [];
  if (flags === undefined) return {};
  const isAllowed = new RegExp(`^[${isRefused}${set}]$`, flags);
  const found = [...text].find((character) => !isAllowed.test(character));
  return {
    ...(found !== undefined && { value: shownCharacter(found) }),
    ...(isRefused === '' && { allowed: listedSet(set) }),
  };
}

const classWords: Readonly<Record<string, string>> = {
  '\\p{L}': 'letters',
  '\\p{Nd}': 'digits',
  ' ': 'space',
};
/** Nobody types them: they belong to letters. */
const unlisted = /^\\p\{M[nc]\}$/;

/** `[A-Za-z ._\-]` becomes `A-Z a-z space . _ -`. */
function listedSet(set: string): string {
  const items = set.match(/\\p\{\w+\}|[A-Za-z0-9]-[A-Za-z0-9]|\\.|./gsu) ?? [];
  return items
    .filter((item) => !unlisted.test(item))
    .map((item) => classWords[item] ?? item.replaceAll(/\\(?=[^p])/g, ''))
    .join(' ');
}

/** A character that is seen as itself; any other by its number. */
function shownCharacter(character: string): string {
  if (character === ' ') return 'space';
  if (/^[\p{L}\p{N}\p{P}\p{S}]$/u.test(character) && !/\p{Default_Ignorable_Code_Point}/u.test(character)) {
    return character;
  }
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
