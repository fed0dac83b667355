import * as z from 'zod/mini';
import { get, post } from './endpoint.ts';
import { Language } from './language.ts';
import { limits } from './limits.ts';
import { Password, PasswordMd5, PresentPassword } from './rules.ts';
import { Challenge, Nonce, Proof } from './sign-in-proof.ts';

/** Cookies of a session. Only `sid` is trusted; the others exist for display and for clients that expect them. */
export const cookieNames = {
  sid: 'mwcloud-sid',
  uid: 'mwcloud-uid',
  userName: 'signalbox-user-name',
  userType: 'signalbox-user-type',
  userId: 'signalbox-user-id',
  permission: 'signalbox-permission',
  checksum: 'signalbox-checksum',
} as const;

/**
 * The same as `sid`, set over HTTP only. A browser that holds `sid` from HTTPS, where it is `Secure`, neither sends it over
 * HTTP nor lets an answer over HTTP replace it, whatever the port.
 */
export const httpSidCookie = 'signalbox-http-sid';

/** Sent with what a page asks for by itself: it doesn't count as use of the session. */
export const backgroundHeader = 'signalbox-background';

/** Why a session is no longer open; `reason` among the parameters of result 37. */
export const endReasons = [
  /** Nobody used it for as long as the settings say. */
  'expired',
  /** It reached the age at which every session ends. */
  'tooOld',
  /** Its user chose another password. */
  'passwordChanged',
  /** An administrator chose another password for its user. */
  'passwordReset',
  /** Its user lost a permission. */
  'rightsChanged',
  'userDeleted',
  /** From the list of another session of its user. */
  'endedElsewhere',
  /** A newer session of its user took its place. */
  'tooMany',
  'signedOut',
] as const;
export type EndReason = (typeof endReasons)[number];

export const SessionUser = z.object({
  name: z.string(),
  /** A single bit; Admin is 1. */
  id: z.number(),
  'group-name': z.string(),
  /** Mask of permission.ts; 4294967295 for administrators. */
  permission: z.number(),
  /** 1 admin, 2 user, 4 viewer, 8 custom. */
  type: z.number(),
});
export type SessionUser = z.infer<typeof SessionUser>;

/** A proof of one's present password, and the nonce of the challenge that it answers. */
export const provenPassword = { challenge: z.optional(Nonce), proof: z.optional(Proof) };

/** One's present password: the published form (`pass`, MD5 of UTF-8 in hexadecimal digits), the clear one, or a proof. */
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

export const authApi = {
  login: post('/api/login', {
    scope: 'public',
    summary: 'Sign in; sets the session cookies and answers the session string.',
    body: Login,
    answer: z.object({
      /** Whether this is the hardware variant. */
      'is-hardware': z.boolean(),
      /** The value for the `mwcloud-sid` cookie. */
      token: z.string(),
      user: SessionUser,
    }),
  }),
  challenge: post('/api/login/challenge', {
    scope: 'public',
    summary:
      'Ask for a challenge. Its answer signs in over plain HTTP without sending the password; it is good for one minute and one answer.',
    body: z.object({ id: SignInName }),
    answer: z.object({
      /** Left out for a user who has to send the password once, because an older hub stored it. */
      challenge: z.optional(Challenge),
    }),
  }),
  logout: post('/api/logout', { scope: 'public', summary: 'End the session.', answer: z.object({}) }),
  logoutByGet: get('/api/logout', {
    scope: 'public',
    summary: 'End the session (published GET form).',
    answer: z.object({}),
  }),
  session: get('/api/session', {
    scope: 'signedIn',
    summary: 'The signed-in user, and what the hub is and can do.',
    answer: z.object({
      user: SessionUser,
      'is-hardware': z.boolean(),
      /** Bits of variant.ts. */
      'feature-support': z.number(),
      /** Seconds until the session ends unless it is used; -1 when it does not end for lack of use. */
      'expires-in': z.number(),
    }),
  }),
  setup: post('/api/setup', {
    scope: 'public',
    summary:
      'First start only: choose the password of the root user Admin. From another machine it takes the code that the hub logs when it starts.',
    body: z.object({
      password: Password,
      /** Not needed on the machine of the hub. Case, spaces and hyphens do not matter. */
      code: z.optional(z.string().check(z.maxLength(limits.setupCode.max, 'tooLong'))),
    }),
    answer: z.object({}),
  }),
  setupState: get('/api/setup', {
    scope: 'public',
    summary: 'What a page needs before sign-in: whether the first-start set-up is still to be done, and the language.',
    answer: z.object({
      needed: z.boolean(),
      /** Whether the set-up takes the code from where this was asked. */
      'needs-code': z.boolean(),
      language: Language,
    }),
  }),
};
