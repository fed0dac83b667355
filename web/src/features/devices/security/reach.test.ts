import { expect, test } from 'bun:test';
import type { DeviceGroup } from '../../../../../daemon/contract/device-groups.ts';
import { allPermissions, maskOf } from '../../../../../daemon/contract/permission.ts';
import type { User } from '../../../../../daemon/contract/users.ts';
import { originOf, reachOf } from './reach.ts';

const everyone = 0xffffffff;
const masks = (group: number, user: number) => ({ 'group-mask': group, 'usr-mask': user });
const group = (id: number, parent: number, own?: ReturnType<typeof masks>): DeviceGroup => ({
  ...{ id, 'parent-id': parent, name: `G${id}`, 'create-time': 0, revision: 1 },
  ...{ 'is-inherit': own === undefined ? 1 : 0, ...(own ?? masks(0, 0)) },
});
const device = (catalog: number, own?: ReturnType<typeof masks>) => ({
  ...{ 'catalog-id': catalog, 'is-inherit': own === undefined ? 1 : 0, ...(own ?? masks(0, 0)) },
});
const ofHub = masks(everyone, everyone);

test('what applies is set on the device, else on the nearest group that sets it, else for all devices', () => {
  const groups = [group(1, 0, masks(4, 0)), group(2, 1), group(3, 0)];
  expect(originOf(device(2, masks(8, 0)), groups, ofHub)).toMatchObject({ from: 'device', masks: masks(8, 0) });
  expect(originOf(device(2), groups, ofHub)).toMatchObject({ from: { id: 1 }, masks: masks(4, 0) });
  expect(originOf(device(3), groups, ofHub)).toEqual({ from: 'hub', masks: ofHub });
  expect(originOf(device(0), groups, ofHub).from).toBe('hub');
  expect(originOf(device(9), groups, ofHub).from).toBe('hub');
  expect(originOf(device(5), [group(5, 6), group(6, 5)], ofHub).from).toBe('hub');
});

const user = (id: number, groupId: number, permission: number): User => ({
  ...{ id, name: `u${id}`, nick: '', 'group-id': groupId, 'group-name': '', permission, revision: 1 },
});
const users = [
  user(1, 1, allPermissions),
  user(2, 4, maskOf('deviceView')),
  user(4, 8, maskOf('deviceView', 'deviceControl')),
  user(8, 8, maskOf('channelView')),
  user(16, 16, maskOf('deviceView', 'deviceControl', 'deviceAdvanced')),
  user(2 ** 31, 4, maskOf('deviceView')),
];
const reach = (group: number, of: number) =>
  reachOf({ from: 'device', masks: masks(group, of) }, { users, groups: [] }).map(
    ({ user: { id }, level, by }) => `${id} ${level} ${by}`,
  );

test('users reach a device as administrators, through their group or by name, and only with the permission', () => {
  expect(reach(0, 0)).toEqual(['1 manages admin']);
  expect(reach(8, 16)).toEqual(['1 manages admin', '16 manages user', '4 controls group']);
  expect(reach(0, 2 ** 31)).toEqual(['1 manages admin', `${2 ** 31} sees user`]);
  expect(reach(everyone, everyone)).toHaveLength(5);
});
