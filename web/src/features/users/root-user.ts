import type { User } from '../../../../daemon/contract/users.ts';

/** Admin, who can neither be deleted nor lose rights. */
export function isRoot({ id }: Pick<User, 'id'>): boolean {
  return id === 1;
}
