/** Users and groups. Ids of both are single bits, because visibility is stored as masks of them. */
import * as z from 'zod/mini';
import { provenPassword } from './auth.ts';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { groupTypes } from './permission.ts';
import { coded, IntText, Password, PasswordMd5, PresentPassword, Revised, Revision, UserName } from './rules.ts';
import { GroupFields, PermissionMask, UserFields } from './user-fields.ts';

export const User = z.object({
  id: z.int(),
  name: z.string(),
  nick: z.string(),
  'group-id': z.int(),
  'group-name': z.string(),
  permission: PermissionMask,
  revision: z.int(),
});
export type User = z.infer<typeof User>;

export const Member = z.object({ id: z.int(), name: z.string() });

export const UserGroup = z.object({
  id: z.int(),
  name: z.string(),
  desc: z.string(),
  permission: PermissionMask,
  type: coded(groupTypes),
  /** Names, or with `more=1` names and ids; absent if the group is empty. */
  users: z.optional(z.union([z.array(z.string()), z.array(Member)])),
  revision: z.int(),
});
export type UserGroup = z.infer<typeof UserGroup>;

/** One of the two: clear, or as published its MD5, which is refused if the rule requires more than the minimum. */
const newPassword = { password: z.optional(Password), passwd: z.optional(PasswordMd5) };

export const userApi = endpoints(calls.users, {
  list: {
    summary: 'List users and groups.',
    query: z.object({
      /** Only users, or only groups. */
      type: z.optional(z.enum(['usr', 'group'], 'choice')),
      /** With `type=group`: only that group. */
      id: z.optional(IntText),
      /** 1: members with name and id. */
      more: z.optional(IntText),
    }),
    response: z.object({ groups: z.optional(z.array(UserGroup)), users: z.optional(z.array(User)) }),
  },
  add: {
    summary: 'Add a user, in the group Viewer by default.',
    body: z.extend(UserFields, newPassword),
    response: z.object({ id: z.int() }),
  },
  set: {
    summary: 'Change the nickname or group of a user.',
    body: z.extend(UserFields, { revision: Revision }),
    shown: User,
    response: Revised,
  },
  del: {
    summary: "Delete a user and the user's sessions and tokens.",
    body: z.object({ name: UserName }),
  },
  update: {
    summary:
      "Change the user's own password (the old one is required), or as an administrator that of another user. Every other session and the access tokens of that user end; the user's own session continues with a new token.",
    body: z.object({
      name: z.optional(UserName),
      'old-password': z.optional(PresentPassword),
      'old-passwd': z.optional(PasswordMd5),
      /** Instead of the old password. */
      ...provenPassword,
      ...newPassword,
      /** When users change their own password: false keeps their access tokens. Those of another user always end. */
      'end-tokens': z.optional(z.boolean()),
    }),
    response: z.object({
      /** The new session token, if a user changed their own password in a session. */
      token: z.optional(z.string()),
    }),
  },
  addGroup: {
    summary: 'Add a group; permissions that the given ones require are added.',
    body: GroupFields,
    response: z.object({ id: z.int() }),
  },
  setGroup: {
    summary: 'Change a group; `users` is the complete list of its members. Members left out become viewers.',
    body: z.extend(z.partial(GroupFields), { id: z.int('number'), revision: Revision }),
    // Not `permission`: that would be taken for `permissions`.
    shown: z.pick(UserGroup, { type: true }),
    response: Revised,
  },
  delGroup: {
    summary: 'Delete a custom group; its members become viewers.',
    body: z.object({ id: z.int('number') }),
  },
});
