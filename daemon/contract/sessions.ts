import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';

/** An open sign-in session. */
export const OpenSession = z.object({
  /** Identifies the session; does not grant access. */
  id: z.string(),
  ip: z.string(),
  /** User agent of the browser or program. */
  agent: z.string(),
  /** Milliseconds since 1970. */
  'create-time': z.int(),
  'last-seen': z.int(),
  /** Whether this request uses it. */
  current: z.boolean(),
});
export type OpenSession = z.infer<typeof OpenSession>;

export const sessionsApi = endpoints(calls.sessions, {
  list: {
    summary: "List the user's own sessions, the newest first.",
    response: z.object({ list: z.array(OpenSession) }),
  },
  end: {
    summary: "End one of the user's own sessions, or all except the current one.",
    body: z.union([
      z.object({ id: z.string().check(z.regex(/^[0-9a-f]{16}$/, 'sessionId')) }),
      z.object({ others: z.literal(true) }),
    ]),
  },
  stay: {
    summary:
      'Choose whether the current session ends from inactivity. It can only stay while its user may view and not change anything; a session ends after 90 days in any case.',
    body: z.object({ stay: z.boolean() }),
  },
});
