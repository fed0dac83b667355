/** `test` with its own users and groups: all that are added, also through the console, are removed after it. */
import { groupTypes } from '../../daemon/contract/permission.ts';
import type { HubProcess } from '../integration/hub-process.ts';
import { accounts } from './accounts.ts';
import { test as base } from './console-test.ts';

export interface People {
  /** A user of that group; default: Viewer. */
  user(name: string, groupId?: number): Promise<number>;
  group(name: string, permissions: number): Promise<number>;
  /** The stored group, including those that the test created through the console. */
  stored(name: string): Promise<StoredGroup>;
  clear(): Promise<void>;
}

interface StoredGroup {
  readonly id: number;
  readonly name: string;
  readonly permission: number;
  readonly users?: readonly string[];
}
interface Listed {
  readonly users: readonly { readonly name: string }[];
  readonly groups: readonly (StoredGroup & { readonly type: number })[];
}

export const password = 'Quay-side-7';
const kept: readonly string[] = [accounts.admin.id, accounts.viewer.id];

export const test = base.extend<{ people: People }>({
  people: async ({ hub }, use) => {
    const people = peopleOf(hub);
    await use(people);
    await people.clear();
  },
});

function peopleOf(hub: HubProcess): People {
  const list = () => hub.api<Listed>('/api/usr/list');
  return {
    async user(name, groupId = groupTypes.viewer) {
      return (await hub.api<{ id: number }>('/api/usr/add', { name, password, 'group-id': groupId })).id;
    },
    async group(name, permissions) {
      return (await hub.api<{ id: number }>('/api/usr-group/add', { name, permissions })).id;
    },
    async stored(name) {
      const found = (await list()).groups.find((group) => group.name === name);
      if (found === undefined) throw new Error(`there is no group ${name}`);
      return found;
    },
    async clear() {
      const { users, groups } = await list();
      for (const { name } of users) if (!kept.includes(name)) await hub.api('/api/usr/del', { name });
      for (const { id, type } of groups) if (type === groupTypes.custom) await hub.api('/api/usr-group/del', { id });
    },
  };
}

export { expect } from './console-test.ts';
