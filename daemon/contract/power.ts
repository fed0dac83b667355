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
      'Reset all settings and restart. Nothing is left of users, tokens, keys, certificates, channels and devices; the version of the program stays. On an appliance, time servers and time zone become those that it had at first, as does what `keep` does not name.',
    body: z.object({
      /**
       * What is kept. `network`: what the console needs to stay where it is: its ports and certificate and, on an
       * appliance, addresses, Wi-Fi, routes, firewall and host name. `firmware`: firmware files of devices. `logs`:
       * operation and system log; on an appliance, otherwise, the log of its operating system is deleted as well.
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
