/** Finds the members of a body that its call does not know, so that a misspelt one is refused instead of ignored. */
import * as z from 'zod/mini';

type Issue = z.core.$ZodIssueUnrecognizedKeys;
type Schema = z.core.$ZodType;

/**
 * Compares a body with its checked form, which lacks unknown members. `shown` describes a response that may be sent
 * back: its members are ignored, because they are read-only.
 */
export function unknownMembers(body: unknown, checked: unknown, shown: Schema | undefined): Issue[] {
  return [...find(body, checked, shown === undefined ? [] : [shown], [])];
}

/** Whether a body has members that only a response has. */
export function hasReadOnly(body: unknown, checked: unknown, shown: Schema | undefined): boolean {
  if (!isObject(body) || !isObject(checked) || shown === undefined) return false;
  return Object.keys(body).some((key) => !Object.hasOwn(checked, key) && memberOf(shown, key).length > 0);
}

function* find(
  body: unknown,
  checked: unknown,
  shown: readonly Schema[],
  path: readonly PropertyKey[],
): Generator<Issue> {
  if (!isObject(body) || !isObject(checked) || body === checked) return;
  const inner = (key: string) => shown.flatMap((schema) => memberOf(schema, key));
  const keys = Object.keys(body).filter((key) => !Object.hasOwn(checked, key) && inner(key).length === 0);
  if (keys.length > 0) yield { code: 'unrecognized_keys', keys, path: [...path], message: '', input: body };
  for (const [key, value] of Object.entries(body)) {
    if (Object.hasOwn(checked, key)) yield* find(value, checked[key], inner(key), [...path, key]);
  }
}

/** The names of the members that an object at this path may have, in alphabetical order. */
export function memberNames(schema: Schema, path: readonly PropertyKey[]): string[] {
  const objects = path.reduce<readonly Schema[]>(
    (schemas, key) => schemas.flatMap((each) => memberOf(each, String(key))),
    [schema],
  );
  return [...new Set(objects.flatMap(namesOf))].toSorted();
}

function namesOf(schema: Schema): string[] {
  if (schema instanceof z.core.$ZodOptional || schema instanceof z.core.$ZodNullable) {
    return namesOf(schema._zod.def.innerType);
  }
  if (schema instanceof z.core.$ZodUnion) return schema._zod.def.options.flatMap(namesOf);
  return schema instanceof z.core.$ZodObject ? Object.keys(schema._zod.def.shape) : [];
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Returns the schemas of a member; several for a union, and none for an unknown member. */
function memberOf(schema: Schema, key: string): readonly Schema[] {
  if (schema instanceof z.core.$ZodOptional || schema instanceof z.core.$ZodNullable) {
    return memberOf(schema._zod.def.innerType, key);
  }
  if (schema instanceof z.core.$ZodUnion) return schema._zod.def.options.flatMap((option) => memberOf(option, key));
  if (schema instanceof z.core.$ZodArray) return [schema._zod.def.element];
  if (!(schema instanceof z.core.$ZodObject)) return [];
  const { shape } = schema._zod.def;
  return Object.hasOwn(shape, key) && shape[key] ? [shape[key]] : [];
}
