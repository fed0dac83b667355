/** Run history of a channel, its inputs and its outputs: state changes with their reasons, kept for a limited time. */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { IntText, PageCount } from './rules.ts';
import { runParts } from './streams.ts';

export const RunEvent = z.object({
  id: z.int(),
  /** Milliseconds since 1970. */
  time: z.int(),
  what: z.enum(runParts),
  /**
   * Name of the channel, input or output at that time; for a pushed input, the sender's address or empty. For a switch
   * that of the input that went on air.
   */
  name: z.string(),
  /** Outputs only. */
  'output-id': z.optional(z.int()),
  /**
   * A channel state; for inputs and outputs the name of a connection state; for a switch `main`, `backup` or `slate`.
   * Empty in the first known event.
   */
  from: z.string(),
  to: z.string(),
  /** A word as in the channel's `reason`, for a switch as in `failover.reason`. */
  reason: z.optional(z.string()),
  /** Switches only: how long the input brought nothing, or was good again, in milliseconds. */
  'after-ms': z.optional(z.int()),
  /** The user who made a switch, if the hub knows. */
  by: z.optional(z.string()),
});
export type RunEvent = z.infer<typeof RunEvent>;

export const runHistoryApi = endpoints(calls.runHistory, {
  list: {
    summary:
      'List state changes of a channel, its inputs and its outputs, and switches of the input, the newest first; at most 1000 of the last 30 days.',
    query: z.object({
      id: IntText,
      what: z.optional(z.enum(runParts)),
      /** `next` of the previous page. */
      cursor: z.optional(IntText.check(z.gte(0, 'range'))),
      count: PageCount,
    }),
    response: z.object({
      list: z.array(RunEvent),
      /** Absent on the last page. */
      next: z.optional(z.int()),
    }),
  },
});
