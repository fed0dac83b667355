/** What the parts of a channel went through: every change of state with its reason, kept for a while. */
import * as z from 'zod/mini';
import { get } from './endpoint.ts';
import { limits } from './limits.ts';

/** Whose state it is. */
export const runParts = ['channel', 'input', 'output'] as const;
export type RunPart = (typeof runParts)[number];

export const RunEvent = z.object({
  id: z.number(),
  /** Milliseconds since 1970. */
  time: z.number(),
  what: z.enum(runParts),
  /** Of the channel, input or output, as it was; of an input that is pushed empty or the sender's address. */
  name: z.string(),
  /** Of an output. */
  'output-id': z.optional(z.number()),
  /** A channel state; of inputs and outputs the name of a connection state. Empty: it is the first that is known. */
  from: z.string(),
  to: z.string(),
  /** A word as in the channel's `reason`. */
  reason: z.optional(z.string()),
});
export type RunEvent = z.infer<typeof RunEvent>;

export const runHistoryApi = {
  list: get('/api/channel/events', {
    scope: 'channelView',
    summary:
      'Changes of state of a channel, its input and its outputs, the newest first; of the last 30 days, 1000 at most.',
    query: z.object({
      id: z.coerce.number(),
      what: z.optional(z.enum(runParts)),
      /** `next` of the page before. */
      cursor: z.optional(z.coerce.number().check(z.gte(0, 'range'))),
      count: z.optional(z.coerce.number().check(z.gte(1, 'range'), z.lte(limits.page.max, 'range'))),
    }),
    answer: z.object({
      list: z.array(RunEvent),
      /** Absent on the last page. */
      next: z.optional(z.number()),
    }),
  }),
};
