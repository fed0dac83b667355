/** Permissions in the order of the specification, section 6. Bit i of a mask is entry i. */
export const permissions = [
  'firmwareView',
  'firmwareManage',
  'deviceView',
  'deviceControl',
  'deviceAdvanced',
  'deviceSecurity',
  'groupView',
  'groupControl',
  'ioView',
  'ioEdit',
  'channelView',
  'channelControl',
  'channelEdit',
  'userControl',
  'systemView',
  'systemEdit',
  'ndiView',
  'ndiEdit',
] as const;

export type Permission = (typeof permissions)[number];

/** The administrators' mask: all bits, including those that later versions define. */
export const allPermissions = 0xffffffff;

export const groupTypes = { admin: 1, user: 2, viewer: 4, custom: 8 } as const;

/** Permissions that only administrators can hold. */
export const adminOnlyPermissions: readonly Permission[] = ['deviceSecurity', 'groupControl', 'userControl'];

const implied: Partial<Record<Permission, readonly Permission[]>> = {
  firmwareManage: ['firmwareView'],
  deviceControl: ['deviceView', 'firmwareView'],
  deviceAdvanced: ['deviceControl'],
  ioEdit: ['ioView'],
  channelControl: ['channelView', 'ioView'],
  channelEdit: ['channelView', 'channelControl', 'ioView', 'ioEdit'],
  systemEdit: ['systemView'],
  ndiEdit: ['ndiView'],
};

/** Whether the mask allows nothing but to view. */
export function isViewOnly(mask: number): boolean {
  return (mask & ~maskOf(...permissions.filter((permission) => permission.endsWith('View')))) === 0;
}

export function bitOf(permission: Permission): number {
  return 2 ** permissions.indexOf(permission);
}

export function maskOf(...list: readonly Permission[]): number {
  return list.reduce((mask, permission) => (mask | bitOf(permission)) >>> 0, 0);
}

export function holds(mask: number, permission: Permission): boolean {
  return (mask & bitOf(permission)) !== 0;
}

/** Returns the mask with a permission and all permissions that it needs. */
export function grant(mask: number, permission: Permission): number {
  let next = (mask | bitOf(permission)) >>> 0;
  for (const lower of implied[permission] ?? []) {
    if (!holds(next, lower)) next = grant(next, lower);
  }
  return next;
}

/** Returns the mask without a permission and all permissions that need it. */
export function revoke(mask: number, permission: Permission): number {
  let next = (mask & ~bitOf(permission)) >>> 0;
  for (const higher of permissions) {
    if (holds(next, higher) && implied[higher]?.includes(permission)) next = revoke(next, higher);
  }
  return next;
}

/** Returns the smallest mask that contains `mask` and everything its permissions need. */
export function closure(mask: number): number {
  return permissions.reduce((sum, permission) => (holds(mask, permission) ? grant(sum, permission) : sum), mask >>> 0);
}

/** Permissions of a new user. `ndiView` is added on hubs that route NDI. */
export const defaultUserMask = maskOf('deviceView', 'channelView', 'groupView', 'ioView');
