/** The groups of settings. Those of the ports of the console are not among them: a change of these is confirmed. */
import { randomInt, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import type { SettingsRegistry } from '../features/settings/registry.ts';
import { writeGroup } from '../features/settings/store.ts';
import { defineSection, type Section } from './section.ts';

export const hubSettings = 'settings';

const SettingsItem = z.strictObject({ name: z.string(), value: z.unknown() });
interface SettingsItem {
  readonly name: string;
  readonly value?: unknown;
}

/** More than there are groups. */
const limit = 64;

/** How the file is read and compared while the hub runs. */
export function hubSettingsSection(registry: Pick<SettingsRegistry, 'exported' | 'merged' | 'normal'>): Section {
  return defineSection<SettingsItem>({
    ...{ name: hubSettings, limit, schema: SettingsItem, keyOf: ({ name }) => name },
    read: () => registry.exported(),
    normal: ({ value, secret }) => ({ name: value.name, value: registry.normal(value.name, value.value, secret) }),
    check: ({ value, secret }) => void registry.merged(value.name, value.value, secret),
    lost: (names) => Object.fromEntries(names.map((name) => [name, nobodyKnows(name)])),
    keepsSecret: (now, next) => isDeepStrictEqual(now.value, next.value) || now.name === 'security',
    put: (tx, { value, secret }) => writeGroup(tx, value.name, registry.merged(value.name, value.value, secret)),
    edited: (_, name) => ({ noun: 'settings', id: name }),
  });
}

function nobodyKnows(name: string): string {
  return name === 'code-value' ? String(randomInt(10_000)).padStart(4, '0') : randomUUID();
}

/** At the start, the groups are not registered yet: their values are in the form in which they are stored. */
export function storedSettingsSection(): Section {
  return defineSection<SettingsItem>({
    ...{ name: hubSettings, limit, schema: SettingsItem, keyOf: ({ name }) => name },
    read: () => [],
    put: (tx, { value }) => writeGroup(tx, value.name, value.value),
    edited: (_, name) => ({ noun: 'settings', id: name }),
  });
}
