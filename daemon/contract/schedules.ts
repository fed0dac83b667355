/** Schedules: devices start and stop recording or sending at a time, each week or once. */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { DeviceName, DeviceSn } from './device-fields.ts';
import { endpoints } from './endpoint.ts';
import { limits } from './limits.ts';
import { Ids, IntText, inWords, listOf, Paging, Revised, Revision } from './rules.ts';
import {
  isDate,
  isTime,
  runStates,
  type ScheduleAction,
  type SchedulePart,
  scheduleActions,
  scheduleParts,
} from './schedule-fields.ts';

const Time = z.string().check(z.refine(isTime, 'time'), inWords('`HH:MM` in the time zone of the hub.'));
const LocalDate = z.string().check(z.refine(isDate, 'date'), inWords('`YYYY-MM-DD`, a day that exists.'));
/** 1 Monday to 7 Sunday. */
const Day = z.int('number').check(z.gte(1, 'range'), z.lte(7, 'range'));

const what = {
  action: z.enum(scheduleActions, 'choice'),
  /** Absent, like `stop`: this part is not done. One of them is needed. */
  start: z.optional(Time),
  /** Before or at `start`: on the next day. */
  stop: z.optional(Time),
  /** The days of each week on which it starts. */
  days: z.optional(z.array(Day).check(z.maxLength(7, 'tooLong'))),
  /** Instead of `days`: the one day on which it starts. */
  date: z.optional(LocalDate),
};

const Sns = z.array(DeviceSn).check(z.minLength(1, 'required'), z.maxLength(limits.schedules.devices, 'tooLong'));

interface When {
  readonly start?: string | undefined;
  readonly stop?: string | undefined;
  readonly days?: readonly number[] | undefined;
  readonly date?: string | undefined;
}
const hasPart = z.refine<When>(({ start, stop }) => start !== undefined || stop !== undefined, {
  ...{ path: ['start'], error: 'required' },
});
const partsDiffer = z.refine<When>(({ start, stop }) => start === undefined || start !== stop, {
  ...{ path: ['stop'], error: 'sameTime' },
});
const hasDay = z.refine<When>(({ days = [], date }) => days.length > 0 || date !== undefined, {
  ...{ path: ['days'], error: 'required' },
});
const oneKindOfDay = z.refine<When>(({ days = [], date }) => days.length === 0 || date === undefined, {
  ...{ path: ['date'], error: 'conflict' },
});
const whenRule = inWords('`start` or `stop`, and either `days` or `date` are required; `start` and `stop` differ.');

export const ScheduleConfig = z
  .object({
    name: DeviceName,
    enabled: z.boolean(),
    ...what,
    sn: Sns,
  })
  .check(hasPart, partsDiffer, hasDay, oneKindOfDay, whenRule);
export type ScheduleConfig = z.infer<typeof ScheduleConfig>;

const LastRun = z.object({
  /** For which it was planned, in milliseconds since 1970. */
  time: z.int(),
  part: z.enum(scheduleParts),
  state: z.enum(runStates),
  /** Devices that did it, of `total`. */
  done: z.int(),
  total: z.int(),
});

export const Schedule = z.object({
  id: z.int(),
  name: z.string(),
  enabled: z.boolean(),
  ...what,
  /** Number of its devices. */
  devices: z.int(),
  /** Name of the user who saved it last, with whose permissions it runs. */
  owner: z.string(),
  /** Why it does not run: that user, or the access token that was used, was deleted; or the token has expired. */
  problem: z.optional(z.enum(['ownerDeleted', 'tokenEnded'])),
  /** Milliseconds since 1970; absent if there is no further run. */
  next: z.optional(z.object({ time: z.int(), part: z.enum(scheduleParts) })),
  last: z.optional(LastRun),
  revision: z.int(),
});
export type Schedule = z.infer<typeof Schedule>;

/** A device that did not do it, and why. */
export const FailedDevice = z.object({
  sn: z.string(),
  name: z.string(),
  fault: z.object({
    result: z.int(),
    message: z.string(),
    params: z.optional(z.record(z.string(), z.union([z.string(), z.number()]))),
  }),
});
export type FailedDevice = z.infer<typeof FailedDevice>;

/** What its devices are told. */
export const actionOf = (action: ScheduleAction, part: SchedulePart) => `${action}-${part}` as const;

/** A run as it is stored. */
export type StoredRun = z.infer<typeof LastRun> & { readonly failed: readonly Omit<FailedDevice, 'name'>[] };

export const scheduleApi = endpoints(calls.schedules, {
  list: {
    summary: 'List schedules. Users see their own, and those with a device that they can see.',
    needs: 'devices',
    query: z.object(Paging),
    response: z.object({
      ...listOf(Schedule).shape,
      /** Name of the time zone of the hub, such as `Europe/Berlin`. */
      zone: z.string(),
    }),
  },
  query: {
    summary: 'Get a schedule with its devices, and those that failed in its last run, as far as the caller sees them.',
    needs: 'devices',
    query: z.object({ id: IntText }),
    response: z.object({ ...Schedule.shape, sn: z.array(z.string()), failed: z.array(FailedDevice) }),
  },
  add: {
    summary: 'Add a schedule. It runs with the permissions that the caller then has.',
    needs: 'devices',
    body: ScheduleConfig,
    response: z.object({ id: z.int() }),
  },
  set: {
    summary:
      'Change a schedule. Without `config`, only `enabled` changes; with it, everything does, and the schedule is then the caller’s.',
    needs: 'devices',
    body: z
      .object({
        id: z.int('number'),
        enabled: z.optional(z.boolean()),
        config: z.optional(ScheduleConfig),
        revision: Revision,
      })
      .check(
        z.refine(({ enabled, config }) => (enabled === undefined) !== (config === undefined), {
          ...{ path: ['config'], error: 'required' },
        }),
        inWords('Either `enabled` or `config` is required.'),
      ),
    response: Revised,
  },
  del: {
    summary: 'Delete schedules; what they have started continues.',
    needs: 'devices',
    body: z.object({ id: Ids }),
  },
});
