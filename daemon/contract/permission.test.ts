import { expect, test } from 'bun:test';
import {
  adminOnlyPermissions,
  bitOf,
  closure,
  grant,
  maskOf,
  type Permission,
  permissions,
  revoke,
} from './permission.ts';

/** Section 6 of the specification, each row expanded by hand: the permissions that each permission includes. */
const brings: Partial<Record<Permission, readonly Permission[]>> = {
  firmwareManage: ['firmwareView'],
  deviceControl: ['deviceView', 'firmwareView'],
  deviceAdvanced: ['deviceControl', 'deviceView', 'firmwareView'],
  ioEdit: ['ioView'],
  channelControl: ['channelView', 'ioView'],
  channelEdit: ['channelView', 'channelControl', 'ioView', 'ioEdit'],
  systemEdit: ['systemView'],
  ndiEdit: ['ndiView'],
};
const ordinary = permissions.filter((permission) => !adminOnlyPermissions.includes(permission));
const lower = ordinary.map((permission) => maskOf(...(brings[permission] ?? [])));
const bits = ordinary.map(bitOf);

/** Every set of the permissions that groups other than the administrators' can have. */
function* masks(): Generator<number> {
  for (let set = 0; set < 2 ** ordinary.length; set++) {
    yield bits.reduce((mask, bit, at) => ((set >> at) & 1 ? mask | bit : mask), 0);
  }
}
const withLower = (mask: number) => bits.reduce((sum, bit, at) => (mask & bit ? sum | (lower[at] ?? 0) : sum), mask);

test('there are 18 permissions, three of them only for administrators, each a bit in the order of the specification', () => {
  expect(permissions).toHaveLength(18);
  expect(ordinary).toHaveLength(15);
  expect(permissions.map(bitOf)).toEqual(permissions.map((_, at) => 2 ** at));
  expect(adminOnlyPermissions.map(bitOf)).toEqual([0x20, 0x80, 0x2000]);
});

test('each of the 2^15 sets is completed with the included permissions of the table', () => {
  let seen = 0;
  const wrong: number[] = [];
  for (const mask of masks()) {
    seen += 1;
    const closed = closure(mask);
    if (closed !== withLower(mask) || closure(closed) !== closed) wrong.push(mask);
  }
  expect(seen).toBe(32_768);
  expect(wrong).toEqual([]);
});

test('granting to any complete set adds what the table includes, and nothing else', () => {
  const wrong: [number, Permission][] = [];
  for (const mask of masks()) {
    if (withLower(mask) !== mask) continue;
    ordinary.forEach((permission, at) => {
      const expected = mask | (bits[at] ?? 0) | (lower[at] ?? 0);
      if (grant(mask, permission) !== expected) wrong.push([mask, permission]);
    });
  }
  expect(wrong).toEqual([]);
});

test('revoking from any complete set also removes the permissions that depend on it, and leaves a complete set', () => {
  const wrong: [number, Permission][] = [];
  for (const mask of masks()) {
    if (withLower(mask) !== mask) continue;
    ordinary.forEach((permission, at) => {
      const bit = bits[at] ?? 0;
      const expected = bits.reduce((rest, other, i) => ((lower[i] ?? 0) & bit ? rest & ~other : rest), mask & ~bit);
      const left = revoke(mask, permission);
      if (left !== expected || withLower(left) !== left) wrong.push([mask, permission]);
    });
  }
  expect(wrong).toEqual([]);
});
