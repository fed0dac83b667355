/** Reset and reboot. */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { resetKeeps } from './power-fields.ts';

/** As in the published sibling of the call: seconds before it begins, and until the console answers again. */
const Soon = { delay: z.int(), 'estimate-sec': z.int() };

export const powerApi = endpoints(calls.power, {
  reset: {
    summary:
      'Reset all settings and restart. Nothing is left of users, tokens, keys, certificates, channels and devices; the version of the program stays.',
    body: z.object({
      /**
       * What is kept. `network`: ports and certificate of the console, so that it stays where it is; addresses, Wi-Fi,
       * routes and time of an appliance are settings of its system, and stay in any case. `firmware`: firmware files of devices. `logs`: operation and system log.
       */
      keep: z.array(z.enum(resetKeeps, 'choice')).check(z.maxLength(resetKeeps.length, 'tooLong')),
      /** Also while devices are being upgraded; 1005 without. */
      force: z.optional(z.boolean()),
    }),
    response: z.object({
      ...Soon,
      /** Needed to choose the password of Admin from another machine afterwards. */
      'setup-code': z.string(),
      /** Ports of the console afterwards; 0: any free one. `https` is null if HTTPS is off. */
      ports: z.object({ http: z.int(), https: z.nullable(z.int()) }),
    }),
  },
  reboot: {
    summary: 'Restart the machine, or on a hub that is not an appliance the program; streams are interrupted.',
    body: z.object({
      /** Also while devices are being upgraded; 1005 without. */
      force: z.optional(z.boolean()),
    }),
    response: z.object({
      ...Soon,
      /** `machine`, or the program alone on a hub that is not an appliance. */
      what: z.enum(['machine', 'hub']),
    }),
  },
});
