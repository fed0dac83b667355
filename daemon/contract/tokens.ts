/** Access tokens: what scripts sign in with, as `Authorization: Bearer`. */
import * as z from 'zod/mini';
import { ownPassword } from './auth.ts';
import { get, post } from './endpoint.ts';
import { limits } from './limits.ts';
import { Ids } from './rules.ts';
import { Permissions, plainText } from './users.ts';

/** Even random decimal digits have more different ones. Random text neither repeats itself nor counts up. */
const leastDifferent = 8;

function looksRandom(text: string): boolean {
  const isRepeated = `${text}${text}`.indexOf(text, 1) < text.length;
  const codes = [...text].map((character) => character.charCodeAt(0));
  const neighbors = codes.filter((code, i) => Math.abs(code - (codes[i - 1] ?? -2)) <= 1).length;
  return new Set(text).size >= leastDifferent && !isRepeated && neighbors < text.length / 2;
}

/** Exactly 64 of A-Z a-z 0-9 that are hard to guess. */
export const TokenText = z
  .string()
  .check(
    z.length(limits.tokenLength, 'tokenLength'),
    z.regex(/^[A-Za-z0-9]*$/, 'characters'),
    z.refine(looksRandom, 'guessable'),
  );
export const TokenName = plainText(limits.name.max).check(z.minLength(1, 'required'));

/** `expire` of a token that never ends. */
export const endless = -1;

export const AccessToken = z.object({
  id: z.number(),
  name: z.string(),
  owner: z.string(),
  /** What it may do now: what it was given, as far as its owner may still do it. */
  permission: z.number(),
  /** Milliseconds since 1970. */
  'create-time': z.number(),
  /** Milliseconds since 1970; -1 never. */
  expire: z.number(),
  /** Milliseconds since 1970, to the minute; 0: not used yet. */
  'last-used': z.number(),
  'last-ip': z.string(),
});
export type AccessToken = z.infer<typeof AccessToken>;

export const TokenFields = z.object({
  name: TokenName,
  /** Made by the hub when left out. */
  token: z.optional(TokenText),
  /** All that its owner may do when left out. */
  permission: z.optional(Permissions),
  /** Milliseconds since 1970; -1 never. In 90 days when left out. */
  expire: z.optional(z.int('number')),
});
export const NewToken = z.extend(TokenFields, ownPassword);

export const tokenApi = {
  list: get('/api/token/list', {
    scope: 'signedIn',
    needs: 'hardware',
    summary: "One's own access tokens; an administrator sees those of everybody.",
    answer: z.object({ list: z.array(AccessToken) }),
  }),
  add: post('/api/token/add', {
    scope: 'signedIn',
    needs: 'hardware',
    summary:
      'Add an access token. It is answered this once and kept as a hash. In a session it takes the password of the user.',
    body: NewToken,
    answer: z.object({ id: z.number(), token: z.string() }),
  }),
  del: post('/api/token/del', {
    scope: 'signedIn',
    needs: 'hardware',
    summary: "Delete access tokens: one's own, or as an administrator those of others. They end at once.",
    body: z.object({ id: Ids }),
    answer: z.object({}),
  }),
};
