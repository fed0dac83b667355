import { grant, type Permission, permissions } from '../../../../daemon/contract/permission.ts';

/** Roles of access tokens: read everything; also start, stop and switch; whatever the owner may do. */
export const tokenRoles = ['monitoring', 'control', 'everything'] as const;
export type TokenRole = (typeof tokenRoles)[number];

/** Returns the permissions of a role, without those that are not in `max`. */
export function maskOfRole(role: TokenRole, max: number): number {
  if (role === 'everything') return max;
  const further: readonly Permission[] = role === 'control' ? ['channelControl', 'deviceControl'] : [];
  const wished = permissions.filter((one) => one.endsWith('View') || further.includes(one));
  const masks = wished.map((one) => grant(0, one)).filter((mask) => (mask & ~max) === 0);
  return masks.reduce((sum, mask) => (sum | mask) >>> 0, 0);
}
