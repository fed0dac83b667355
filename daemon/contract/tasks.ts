/** Tasks: work that continues after the call that started it, with progress and a result for each item. */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { ItemUpgrade } from './device-upgrade-fields.ts';
import { FoundDevice } from './discovery.ts';
import { endpoints } from './endpoint.ts';
import { IntText, listOf, Paging } from './rules.ts';

/**
 * `done`: the task has finished, although some of its items may have failed. `interrupted`: the hub stopped before the
 * task ended. Items are `waiting` until they start, and `interrupted` if their task fails first.
 */
export const taskStates = ['running', 'done', 'failed', 'canceled', 'interrupted'] as const;
export type TaskState = (typeof taskStates)[number];
export const taskItemStates = ['waiting', ...taskStates] as const;

/** Reason for a failure: a code from result.ts and a message in English. */
const Fault = z.object({
  result: z.int(),
  message: z.string(),
  /** Values for the message, as in the response of a failed call. */
  params: z.optional(z.record(z.string(), z.union([z.string(), z.number()]))),
});

export const TaskItem = z.object({
  /** Identifies the object in the API: an id or a serial number. */
  key: z.string(),
  name: z.string(),
  state: z.enum(taskItemStates),
  fault: z.optional(Fault),
  /** Of the kind `device.discover`, whose items are what was found so far; their keys are IP addresses. */
  device: z.optional(FoundDevice),
  /** Of the kind `device.upgrade`; its items are devices. */
  upgrade: z.optional(ItemUpgrade),
});
export type TaskItem = z.infer<typeof TaskItem>;

export const Task = z.object({
  id: z.int(),
  /** `noun.verb`, such as `device.reboot`. */
  kind: z.string(),
  /** Name of the object or file; empty if the items name it. */
  subject: z.string(),
  /** Name of the user who started the task. */
  owner: z.string(),
  state: z.enum(taskStates),
  /** What `done` and `total` count; items that failed are done, too. `addresses` are those that were tried. */
  unit: z.enum(['items', 'bytes', 'addresses']),
  done: z.int(),
  /** 0 while unknown. */
  total: z.int(),
  /** Number of items that failed. */
  failed: z.int(),
  cancelable: z.boolean(),
  /** Milliseconds since 1970. */
  started: z.int(),
  /** Milliseconds since 1970; 0 while the task is running. */
  ended: z.int(),
  /** Why the task failed. */
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
    query: z.object({ id: IntText }),
    response: z.object({ ...Task.shape, list: z.array(TaskItem) }),
  },
  cancel: {
    summary: 'Cancel a task. What has been done stays; items that have not started are canceled.',
    body: z.object({ id: Id }),
  },
});
