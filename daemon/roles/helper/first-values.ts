/** Stores the values from before the helper's first change in the state folder of the unit. A reset restores them. */
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { ZoneName } from '../../contract/time-fields.ts';
import { replaceFile, syncPath } from '../../lib/durable-file.ts';

/** May contain a domain, unlike host names that the hub sets. */
const AnyHostName = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/));
/** Ignores stored values that are invalid. */
const FirstValues = z.object({
  hostName: z.catch(z.optional(AnyHostName), undefined),
  zone: z.catch(z.optional(ZoneName), undefined),
  ntp: z.catch(z.optional(z.boolean()), undefined),
});
export type FirstValues = Partial<z.infer<typeof FirstValues>>;

/** Path of the file; undefined if the unit gives the helper no state folder. */
function valuesFile(): string | undefined {
  const { STATE_DIRECTORY: folder } = process.env;
  return folder ? join(folder, 'first-values.json') : undefined;
}

export function firstValues(): FirstValues {
  const file = valuesFile();
  if (file === undefined) return {};
  try {
    return FirstValues.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data ?? {};
  } catch {
    return {};
  }
}

/** Call before a change. Keeps a value that is already stored. */
export function rememberFirst(values: FirstValues): void {
  write({ ...values, ...firstValues() });
}

/** Call once the values are restored. */
export function forgetFirst(...names: readonly (keyof FirstValues)[]): void {
  const left = Object.entries(firstValues()).filter(([name]) => !names.includes(name as keyof FirstValues));
  write(Object.fromEntries(left));
}

function write(values: FirstValues): void {
  const file = valuesFile();
  if (file === undefined) return;
  if (Object.keys(values).length > 0) replaceFile(file, JSON.stringify(values));
  else rmSync(file, { force: true });
  syncPath(dirname(file));
}
