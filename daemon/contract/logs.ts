import * as z from 'zod/mini';
import { get } from './endpoint.ts';
import { limits } from './limits.ts';
import { listOf } from './outputs.ts';
import { Paging } from './rules.ts';

/** One change of the hub: who did what to which object, from where, and how it ended. */
export const Operation = z.object({
  id: z.number(),
  /** Milliseconds since 1970. */
  time: z.number(),
  user: z.string(),
  ip: z.string(),
  /** `noun.verb`, such as `channel.add`. */
  action: z.string(),
  /** Name of the object, and what was changed; never a secret. */
  detail: z.string(),
  /** 0 success, else the result code. */
  result: z.number(),
});
export type Operation = z.infer<typeof Operation>;

export const logApi = {
  list: get('/api/log/list', {
    scope: 'admin',
    summary: 'Operation log, the newest first.',
    query: z.object({ ...Paging, key: z.optional(z.string().check(z.maxLength(limits.name.max, 'tooLong'))) }),
    answer: listOf(Operation),
  }),
};
