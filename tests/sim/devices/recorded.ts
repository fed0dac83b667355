/** Answers of devices, by API, family, method and state: what simulators begin with, and drivers are tested with. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from './device.ts';

const folder = join(import.meta.dir, '../../fixtures/devices');
const read = new Map<string, Json>();

/** `name` is a file of `tests/fixtures/devices` without its extension, such as `usapi/encode.get-info`. */
export function recorded(name: string): Json {
  const known = read.get(name) ?? JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
  read.set(name, known);
  return known;
}

/** An object of a recorded answer. */
export function recordedPart(name: string, key: string): Json {
  return (recorded(name)[key] ?? {}) as Json;
}
