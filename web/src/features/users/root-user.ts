import type { User } from '../../../../daemon/contract/users.ts';

/** Whether this is Admin, who can neither be deleted nor lose permissions. */
export function isRoot({ id }: Pick<User, 'id'>): boolean {
  return id === 1;
}
