/** The time zones of the system. */
import { readFile, readlink } from 'node:fs/promises';

const folder = '/usr/share/zoneinfo';
export const localZone = '/etc/localtime';
const utc = 'Etc/UTC';

/** Sorted by name. Without the package tzdata, those that Bun knows. */
export async function systemZones(): Promise<readonly string[]> {
  const table = await readFile(`${folder}/zone.tab`, 'utf8').catch(() => undefined);
  if (table === undefined) return [...Intl.supportedValuesOf('timeZone'), utc].toSorted();
  const names = table.split('\n').flatMap((line) => (line.startsWith('#') ? [] : (line.split('\t')[2] ?? [])));
  return [...new Set([...names, utc])].toSorted();
}

/** The zone of the system, or UTC if it has none. */
export async function presentZone(): Promise<string> {
  const target = await readlink(localZone).catch(() => '');
  return /zoneinfo\/(.+)$/.exec(target)?.[1] ?? utc;
}

/** Path of a zone that `systemZones` has. */
export const zoneFile = (zone: string) => `${folder}/${zone}`;
