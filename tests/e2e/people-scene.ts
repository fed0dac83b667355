/** The scene of the people screenshots: a hardware-variant hub with a broadcaster's team, its groups and scripts. */
import { limits } from '../../daemon/contract/limits.ts';
import { defaultUserMask, groupTypes, maskOf } from '../../daemon/contract/permission.ts';
import { adminPassword, type HubProcess, startHub } from '../integration/hub-process.ts';

export interface People {
  readonly hub: HubProcess;
  /** A custom group and its member. */
  readonly crew: number;
  readonly member: number;
}

const day = 24 * 60 * 60_000;
const password = 'Breakwater-2026';
const rule = { length: 8, number: 1, uppercase: 1, special: 1, 'chk-name': 1 };

export async function gatherPeople(): Promise<People> {
  const hub = await startHub({ env: { SIGNALBOX_VARIANT: 'hardware', SIGNALBOX_FEATURES: 'ndi-router' } });
  await hub.login();
  await hub.api('/api/settings/set', { 'pwd-rule': rule });
  const crew = await addGroup(hub, 'Night crew', maskOf('channelControl', 'channelView', 'ioView', 'ndiView'));
  const festival = await addGroup(hub, 'Outside broadcast (harbour fest)', defaultUserMask);
  const member = await addUser(hub, 'mei', 'Mei Chen', crew);
  await addUser(hub, 'j_bergstrom', 'Johannes Bergström', crew);
  await addUser(hub, 'ines', 'Inês Marques de Albuquerque', festival);
  await addUser(hub, 'anna', 'Anna Lindqvist', groupTypes.admin);
  await addUser(hub, 'tomasz', '', groupTypes.user);
  await addUser(hub, 'frontdesk', 'Front desk of the town hall', groupTypes.viewer);
  const used = await addToken(hub, { name: 'Monitoring', permission: maskOf('channelView', 'ioView', 'systemView') });
  await addToken(hub, { name: 'Nightly restart of the channels on the second floor', expire: Date.now() + 30 * day });
  await addToken(hub, { name: 'Backup', permission: maskOf('systemView'), expire: Date.now() + 365 * day });
  await fetch(`${hub.url}/api/system/status`, { headers: { authorization: `Bearer ${used}` } });
  return { hub, crew, member };
}

/** The maximum number of users and groups, and no token. */
export async function toTheLimits(hub: HubProcess): Promise<void> {
  const { users, groups } = await hub.api<{ users: unknown[]; groups: unknown[] }>('/api/usr/list');
  for (let count = groups.length; count < limits.userGroups; count++) {
    await addGroup(hub, `Shift ${count}`, defaultUserMask);
  }
  for (let count = users.length; count < limits.users; count++) {
    await addUser(hub, `operator_${count}`, '', groupTypes.viewer);
  }
  const { list } = await hub.api<{ list: { id: number }[] }>('/api/token/list');
  await hub.api('/api/token/del', { id: list.map(({ id }) => id) });
}

async function addUser(hub: HubProcess, name: string, nick: string, group: number): Promise<number> {
  return (await hub.api<{ id: number }>('/api/usr/add', { name, nick, password, 'group-id': group })).id;
}

async function addGroup(hub: HubProcess, name: string, permissions: number): Promise<number> {
  const desc = 'Watches over what is on air and starts it again';
  return (await hub.api<{ id: number }>('/api/usr-group/add', { name, permissions, desc })).id;
}

async function addToken(hub: HubProcess, token: object): Promise<string> {
  return (await hub.api<{ token: string }>('/api/token/add', { ...token, password: adminPassword })).token;
}
