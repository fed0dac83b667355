/** The clock of the appliance: NTP, time zone, date by hand. */
import * as z from 'zod/mini';
import { Missing } from './appliance.ts';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { Revised } from './rules.ts';
import { HostName, TimeChange } from './time-fields.ts';
import { syncStates, timeSourceStates } from './time-states.ts';

export const TimeView = z.object({
  /** Milliseconds since 1970, when the hub answers. */
  now: z.int(),
  ntp: z.object({ enable: z.boolean(), servers: z.array(z.string()) }),
  zone: z.string(),
  state: z.enum(syncStates),
  /** Milliseconds by which the clock of the hub is ahead of NTP; absent while it does not follow a server. */
  'offset-ms': z.optional(z.number()),
  sources: z.array(
    z.object({
      /** As in `servers`, or an address. */
      name: z.string(),
      state: z.enum(timeSourceStates),
      /** Steps from a reference clock; 0: unknown. */
      stratum: z.int(),
      /** Milliseconds by which the hub was ahead at the last measurement; absent without one. */
      'offset-ms': z.optional(z.number()),
    }),
  ),
  /** Those of the system, by name. */
  zones: z.array(z.string()),
  missing: Missing,
  revision: z.int(),
});
export type TimeView = z.infer<typeof TimeView>;

export const timeApi = endpoints(calls.time, {
  get: { summary: 'Get the clock, NTP and the time zones.', needs: 'hardware', response: TimeView },
  set: {
    summary: 'Change NTP and time zone, or set the date while NTP is off.',
    needs: 'hardware',
    body: TimeChange,
    response: Revised,
  },
  setHostName: {
    summary: 'Change the host name of the machine.',
    needs: 'hardware',
    body: z.object({ name: HostName }),
  },
});
