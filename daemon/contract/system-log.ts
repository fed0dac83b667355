/** The system log: log lines of the hub and its child processes. */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { logFilter } from './logs.ts';
import { listOf, Natural, Paging } from './rules.ts';

export const systemLogLevels = ['debug', 'info', 'warn', 'error'] as const;
export type SystemLogLevel = (typeof systemLogLevels)[number];

export const SystemLogLine = z.object({
  id: z.int(),
  /** Milliseconds since 1970. */
  time: z.int(),
  level: z.enum(systemLogLevels),
  /** Component that wrote it, such as `hub/http` or `media/srt`. */
  scope: z.string(),
  text: z.string(),
});
export type SystemLogLine = z.infer<typeof SystemLogLine>;

const isLevels = (text: string) => text.split(',').every((one) => systemLogLevels.some((level) => level === one));

const filter = {
  ...logFilter,
  /** Levels separated by commas. */
  level: z.optional(z.string().check(z.refine(isLevels, 'choice'))),
};
export const SystemLogFilter = z.object(filter);
export type SystemLogFilter = z.infer<typeof SystemLogFilter>;

export const systemLogApi = endpoints(calls.systemLog, {
  list: {
    summary: 'List the system log, the newest line first.',
    query: z.object({ ...Paging, before: z.optional(Natural), ...filter }),
    response: z.object({
      ...listOf(SystemLogLine).shape,
      /** `before` of the next page; 0 when there is none. */
      next: z.int(),
      /** Id of the newest line, whether it matches or not; 0 when there is none. */
      last: z.int(),
    }),
  },
});
