/** Tasks: work that goes on after the call that began it, with its progress and a result for each item. */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { listOf, Paging } from './rules.ts';

/**
 * `done`: it came to its end, though some of its items may have failed. `interrupted`: the hub stopped meanwhile.
 * Items also wait, until their turn comes.
 */
export const taskStates = ['running', 'done', 'failed', 'canceled', 'interrupted'] as const;
export type TaskState = (typeof taskStates)[number];
export const taskItemStates = ['waiting', ...taskStates] as const;

/** Why it failed: a code of result.ts, and a sentence in English. */
const Fault = z.object({ result: z.number(), message: z.string() });

export const TaskItem = z.object({
  /** The object, as the API names it: an id or a serial number. */
  key: z.string(),
  name: z.string(),
  state: z.enum(taskItemStates),
  fault: z.optional(Fault),
});
export type TaskItem = z.infer<typeof TaskItem>;

export const Task = z.object({
  id: z.number(),
  /** `noun.verb`, such as `device.reboot`. */
  kind: z.string(),
  /** Name of the object or file; empty if the items say it. */
  subject: z.string(),
  /** Name of the user who began it. */
  owner: z.string(),
  state: z.enum(taskStates),
  /** What `done` and `total` count. */
  unit: z.enum(['items', 'bytes']),
  done: z.number(),
  /** 0 while it is unknown. */
  total: z.number(),
  /** Number of items that failed. */
  failed: z.number(),
  cancelable: z.boolean(),
  /** Milliseconds since 1970. */
  started: z.number(),
  /** 0 while it runs. */
  ended: z.number(),
  /** What ended it. */
  fault: z.optional(Fault),
});
export type Task = z.infer<typeof Task>;

const Id = z.int('number');

export const taskApi = endpoints(calls.tasks, {
  list: {
    summary: 'List tasks, the newest first: own ones, and for administrators those of all users.',
    query: z.object(Paging),
    response: listOf(Task),
  },
  query: {
    summary: 'Get a task with its items.',
    query: z.object({ id: z.coerce.number() }),
    response: z.object({ ...Task.shape, list: z.array(TaskItem) }),
  },
  cancel: {
    summary: 'Cancel a task. What has been done stays; items that have not started are canceled.',
    body: z.object({ id: Id }),
  },
});
