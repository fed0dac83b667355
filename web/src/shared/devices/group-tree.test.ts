import { expect, test } from 'bun:test';
import type { DeviceGroup } from '../../../../daemon/contract/device-groups.ts';
import { flatTree, groupTree, idsWithin } from './group-tree.ts';

const group = (id: number, parent: number, name = `G${id}`): DeviceGroup => ({
  ...{ id, 'parent-id': parent, name, 'is-inherit': 1, 'group-mask': 0, 'usr-mask': 0, 'create-time': 0, revision: 1 },
});
const compare = (a: string, b: string) => a.localeCompare(b);
const shape = (groups: readonly DeviceGroup[], closed?: ReadonlySet<number>) =>
  flatTree(groupTree(groups, compare), closed).map(({ group: { id }, depth }) => [id, depth]);

test('groups are below their parents, each level by name; the entry of devices in no group is left out', () => {
  const groups = [group(0, 0, ''), group(1, 0, 'Stage'), group(2, 0, 'Chapel'), group(3, 1, 'Left'), group(4, 3)];
  expect(shape(groups)).toEqual([
    [2, 1],
    [1, 1],
    [3, 2],
    [4, 3],
  ]);
  expect(shape(groups, new Set([1]))).toEqual([
    [2, 1],
    [1, 1],
  ]);
});

test('a group whose parent the user may not see is at the top; a cycle hides nothing else and ends', () => {
  expect(shape([group(3, 9)])).toEqual([[3, 1]]);
  expect(shape([group(1, 2), group(2, 1), group(3, 0)])).toEqual([[3, 1]]);
});

test('a group contains itself and all groups in it', () => {
  const tree = groupTree([group(1, 0), group(2, 1), group(3, 2), group(4, 0)], compare);
  expect(idsWithin(tree, 1)).toEqual(new Set([1, 2, 3]));
  expect(idsWithin(tree, 9)).toEqual(new Set([9]));
});
