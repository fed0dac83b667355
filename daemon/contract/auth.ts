import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { limits } from './limits.ts';
import { groupTypes } from './permission.ts';
import { coded, Language, masked, Password, PasswordMd5, PresentPassword } from './rules.ts';
import { PermissionMask } from './user-fields.ts';
import { featureBits } from './variant.ts';

export { cookieNames, httpSidCookie } from './cookie-names.ts';

/** Why a session ended; `reason` among the parameters of result 37. */
export const endReasons = [
  /** It was idle for longer than the settings allow. */
  'expired',
  /** It reached the maximum session age. */
  'tooOld',
  /** Its user changed the password. */
  'passwordChanged',
  /** An administrator set a new password for its user. */
  'passwordReset',
  /** Its user lost a permission. */
  'rightsChanged',
  'userDeleted',
  /** Ended from the session list of another session of the same user. */
  'endedElsewhere',
  /** Replaced by a newer session of the same user. */
  'tooMany',
  'signedOut',
] as const;
export type EndReason = (typeof endReasons)[number];

export const SessionUser = z.object({
  name: z.string(),
  /** A single bit; 1 for Admin. */
  id: z.int(),
  'group-name': z.string(),
  permission: PermissionMask,
  /** Of the user's group. */
  type: coded(groupTypes),
});
export type SessionUser = z.infer<typeof SessionUser>;

const hex = (bytes: number) => z.string().check(z.regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`), 'format'));

export const Challenge = z.object({
  /** Identifies the challenge, which is valid for one proof within a minute, from the same address and session. */
  nonce: hex(16),
  salt: hex(16),
  /** Rounds of PBKDF2. */
  iterations: z.int('number'),
});
export type Challenge = z.infer<typeof Challenge>;

export const Nonce = hex(16);
/** `ClientProof` of RFC 5802 over `proofMessage` (sign-in-proof.ts). */
export const Proof = hex(32);

/** A proof of the user's current password, and the nonce of the challenge that it answers. */
export const provenPassword = { challenge: z.optional(Nonce), proof: z.optional(Proof) };

/** The user's current password: in published form (`pass`, hexadecimal MD5 of UTF-8), in clear, or as a proof. */
export const ownPassword = {
  pass: z.optional(PasswordMd5),
  password: z.optional(PresentPassword),
  ...provenPassword,
};

const SignInName = z.string().check(z.minLength(1, 'required'), z.maxLength(64, 'tooLong'));

export const Login = z.object({
  id: SignInName,
  ...ownPassword,
});

export const authApi = endpoints(calls.auth, {
  login: {
    summary: 'Sign in; sets the session cookies and returns the session token.',
    body: Login,
    response: z.object({
      /** Whether this is the hardware variant. */
      'is-hardware': z.boolean(),
      /** The value for the `mwcloud-sid` cookie. */
      token: z.string(),
      user: SessionUser,
    }),
  },
  challenge: {
    summary:
      'Get a challenge to sign in over plain HTTP without sending the password. It is valid for one proof within one minute.',
    body: z.object({ id: SignInName }),
    response: z.object({
      /** Absent for a user who must send the password once, because an older hub stored it. */
      challenge: z.optional(Challenge),
    }),
  },
  logout: { summary: 'End the session.' },
  logoutByGet: { summary: 'End the session (published GET form).' },
  session: {
    summary: 'Get the signed-in user, and the variant and features of the hub.',
    response: z.object({
      user: SessionUser,
      'is-hardware': z.boolean(),
      'feature-support': masked(featureBits),
      /** Seconds until the session ends if it is not used; -1 if it never expires from inactivity. */
      'expires-in': z.int(),
      /** Whether the session was chosen to stay signed in (`/api/session/stay`). */
      stays: z.boolean(),
    }),
  },
  setup: {
    summary:
      'First start only: set the password of the root user Admin. From another machine, the code that the hub logs at startup is required.',
    body: z.object({
      password: Password,
      /** Not needed on the hub's own machine. Case, spaces and hyphens are ignored. */
      code: z.optional(z.string().check(z.maxLength(limits.setupCode.max, 'tooLong'))),
    }),
  },
  setupState: {
    summary:
      'Get what a page needs before sign-in: whether first-start setup is still required, the language, and the name of the hub.',
    response: z.object({
      needed: z.boolean(),
      /** Whether first-start setup from this client requires the code. */
      'needs-code': z.boolean(),
      language: Language,
      /** Name of the hub; empty if none was set, because the host name is not for everyone. */
      name: z.string(),
    }),
  },
});
