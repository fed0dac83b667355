/** People and their groups. Ids of both are single bits, because visibility is kept in masks of them. */
import * as z from 'zod/mini';
import { provenPassword } from './auth.ts';
import { get, post } from './endpoint.ts';
import { limits } from './limits.ts';
import { Password, PasswordMd5, PresentPassword, Revised, Revision, UserName } from './rules.ts';

/** Any characters but control ones. */
export const plainText = (max: number) =>
  z.string().check(
    z.maxLength(max, 'tooLong'),
    z.refine((text) => text === text.trim(), 'outerSpace'),
    z.regex(/^[^\p{Cc}]*$/u, 'characters'),
  );

export const NickName = plainText(limits.nickName.max);
export const GroupName = plainText(limits.groupName.max).check(z.minLength(1, 'required'));
export const GroupDescription = plainText(limits.groupDescription.max);
/** Bits of permission.ts. */
export const Mask = z.int('number').check(z.gte(0, 'range'), z.lte(0xffffffff, 'range'));
const Names = z.array(UserName).check(z.maxLength(limits.users, 'tooLong'));
/** One at least. */
export const Permissions = Mask.check(z.gte(1, 'required'));

export const UserFields = z.object({
  name: UserName,
  nick: z.optional(NickName),
  'group-id': z.optional(z.int('number')),
});
export const GroupFields = z.object({
  name: GroupName,
  permissions: Permissions,
  users: z.optional(Names),
  desc: z.optional(GroupDescription),
});

export const User = z.object({
  id: z.number(),
  name: z.string(),
  nick: z.string(),
  'group-id': z.number(),
  'group-name': z.string(),
  permission: z.number(),
  revision: z.number(),
});
export type User = z.infer<typeof User>;

export const Member = z.object({ id: z.number(), name: z.string() });

export const UserGroup = z.object({
  id: z.number(),
  name: z.string(),
  desc: z.string(),
  permission: z.number(),
  /** 1 admin, 2 user, 4 viewer, 8 custom. */
  type: z.number(),
  /** Names, or with `more=1` names and ids; absent where there is nobody. */
  users: z.optional(z.union([z.array(z.string()), z.array(Member)])),
  revision: z.number(),
});
export type UserGroup = z.infer<typeof UserGroup>;

/** One of the two: clear, or as published its MD5, which is refused while the rule asks for more than the minimum. */
const newPassword = { password: z.optional(Password), passwd: z.optional(PasswordMd5) };

export const userApi = {
  list: get('/api/usr/list', {
    scope: 'userControl',
    summary: 'Users and groups.',
    query: z.object({
      type: z.optional(z.enum(['usr', 'group'], 'choice')),
      /** With `type=group`: only that one. */
      id: z.optional(z.coerce.number()),
      /** 1: members with name and id. */
      more: z.optional(z.coerce.number()),
    }),
    answer: z.object({ groups: z.optional(z.array(UserGroup)), users: z.optional(z.array(User)) }),
  }),
  add: post('/api/usr/add', {
    scope: 'userControl',
    summary: 'Add a user, of the group Viewer unless another is given.',
    body: z.extend(UserFields, newPassword),
    answer: z.object({ id: z.number() }),
  }),
  set: post('/api/usr/set', {
    scope: 'userControl',
    summary: 'Change nick name or group of a user.',
    body: z.extend(UserFields, { revision: Revision }),
    answer: Revised,
  }),
  del: post('/api/usr/del', {
    scope: 'userControl',
    summary: 'Delete a user with sessions and tokens.',
    body: z.object({ name: UserName }),
    answer: z.object({}),
  }),
  update: post('/api/usr/update', {
    scope: 'signedIn',
    summary:
      "Change one's own password, which takes the old one, or as an administrator that of somebody else. Every other session and the access tokens of that user end, and one's own session goes on under another string.",
    body: z.object({
      name: z.optional(UserName),
      'old-password': z.optional(PresentPassword),
      'old-passwd': z.optional(PasswordMd5),
      /** In place of the old password. */
      ...provenPassword,
      ...newPassword,
      /** Of one's own password: false keeps one's access tokens. Those of another user always end. */
      'end-tokens': z.optional(z.boolean()),
    }),
    answer: z.object({
      /** The session string from now on, when it was one's own password in a session. */
      token: z.optional(z.string()),
    }),
  }),
  addGroup: post('/api/usr-group/add', {
    scope: 'userControl',
    summary: 'Add a group; lower permissions that it needs are added.',
    body: GroupFields,
    answer: z.object({ id: z.number() }),
  }),
  setGroup: post('/api/usr-group/set', {
    scope: 'userControl',
    summary: 'Change a group; `users` is the complete list of its members. Who is left out becomes a viewer.',
    body: z.extend(z.partial(GroupFields), { id: z.int('number'), revision: Revision }),
    answer: Revised,
  }),
  delGroup: post('/api/usr-group/del', {
    scope: 'userControl',
    summary: 'Delete a group of your own; its members become viewers.',
    body: z.object({ id: z.int('number') }),
    answer: z.object({}),
  }),
};
