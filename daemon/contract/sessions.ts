import * as z from 'zod/mini';
import { get, post } from './endpoint.ts';

/** A sign-in that is still open. */
export const OpenSession = z.object({
  /** Names it; opens nothing. */
  id: z.string(),
  ip: z.string(),
  /** What the browser or program calls itself. */
  agent: z.string(),
  /** Milliseconds since 1970. */
  'create-time': z.number(),
  'last-seen': z.number(),
  /** The one that asks. */
  current: z.boolean(),
});
export type OpenSession = z.infer<typeof OpenSession>;

export const sessionsApi = {
  list: get('/api/session/list', {
    scope: 'signedIn',
    summary: "One's own sessions, the newest first.",
    answer: z.object({ list: z.array(OpenSession) }),
  }),
  end: post('/api/session/end', {
    scope: 'signedIn',
    summary: "End one of one's own sessions, or all but the one that asks.",
    body: z.union([
      z.object({ id: z.string().check(z.regex(/^[0-9a-f]{16}$/, 'sessionId')) }),
      z.object({ others: z.literal(true) }),
    ]),
    answer: z.object({}),
  }),
};
