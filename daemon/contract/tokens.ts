/** Access tokens for scripts, sent as `Authorization: Bearer`. */
import * as z from 'zod/mini';
import { ownPassword } from './auth.ts';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { Ids } from './rules.ts';
import { TokenFields } from './token-fields.ts';
import { PermissionMask } from './user-fields.ts';

export const AccessToken = z.object({
  id: z.int(),
  name: z.string(),
  owner: z.string(),
  /** Effective permissions: those granted to the token that its owner still has. */
  permission: PermissionMask,
  /** Milliseconds since 1970. */
  'create-time': z.int(),
  /** Milliseconds since 1970; -1 never. */
  expire: z.int(),
  /** Milliseconds since 1970, to the minute; 0: not used yet. */
  'last-used': z.int(),
  'last-ip': z.string(),
});
export type AccessToken = z.infer<typeof AccessToken>;

export const NewToken = z.extend(TokenFields, ownPassword);

export const tokenApi = endpoints(calls.tokens, {
  list: {
    summary: "List the user's own access tokens; for an administrator, those of all users.",
    response: z.object({ list: z.array(AccessToken) }),
  },
  add: {
    summary:
      "Add an access token. It is returned only once and stored as a hash. In a session, the user's password is required.",
    body: NewToken,
    response: z.object({ id: z.int(), token: z.string() }),
  },
  del: {
    summary:
      "Delete access tokens: the user's own, or as an administrator those of others. They stop working immediately.",
    body: z.object({ id: Ids }),
  },
});
