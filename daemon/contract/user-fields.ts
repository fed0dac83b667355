/** The members of users and groups that their forms set. */
import * as z from 'zod/mini';
import { limits } from './limits.ts';
import { bitOf, permissions } from './permission.ts';
import { composed, inWords, masked, UserName } from './rules.ts';

/** Any characters but those that control lines or the direction of text; stored in composed form (NFC). */
export const plainText = (max: number) =>
  z.string().check(
    composed,
    z.maxLength(max, 'tooLong'),
    z.refine((text) => text === text.trim(), 'outerSpace'),
    z.regex(/^[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]*$/u, 'characters'),
    inWords('No space at either end.'),
  );

export const NickName = plainText(limits.nickName.max);
export const GroupName = plainText(limits.groupName.max).check(z.minLength(1, 'required'));
export const GroupDescription = plainText(limits.groupDescription.max);
const bits = Object.fromEntries(permissions.map((name) => [name, bitOf(name)]));
/** Permissions; administrators have 4294967295. */
export const PermissionMask = masked(bits);
const Mask = PermissionMask.check(z.gte(0, 'range'), z.lte(0xffffffff, 'range'));
const Names = z.array(UserName).check(z.maxLength(limits.users, 'tooLong'));
/** At least one permission. */
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
