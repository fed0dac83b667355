import type * as z from 'zod/mini';
import { invalidArgument } from './faults.ts';

/** A parameter without a value, as in `?sort=&order=`, is absent. */
export function queryOf(url: string): Record<string, string> {
  return Object.fromEntries([...new URL(url).searchParams].filter(([, value]) => value !== ''));
}

/** Returns the checked query of a request. */
export function readQuery<T extends z.ZodMiniType>(schema: T, url: string): z.output<T> {
  const given = queryOf(url);
  const checked = schema.safeParse(given);
  if (!checked.success) throw invalidArgument(checked.error.issues, given, schema);
  return checked.data;
}
