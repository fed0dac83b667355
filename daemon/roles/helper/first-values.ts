/** What the system had before the helper first changed it, in the state folder of the unit: a reset restores that. */
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { ZoneName } from '../../contract/time-fields.ts';
import { replaceFile, syncPath } from '../../lib/durable-file.ts';

/** Unlike a name that the hub sets, it may have a domain. */
const AnyHostName = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/));
/** What is not usable is not restored. */
const FirstValues = z.object({
  hostName: z.catch(z.optional(AnyHostName), undefined),
  zone: z.catch(z.optional(ZoneName), undefined),
  ntp: z.catch(z.optional(z.boolean()), undefined),
});
export type FirstValues = Partial<z.infer<typeof FirstValues>>;

/** Undefined if the unit gives the helper no folder. */
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

/** To be called before the change. The first value stays. */
export function rememberFirst(values: FirstValues): void {
  write({ ...values, ...firstValues() });
}

/** To be called once they are restored. */
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
