/** Upgrades of the firmware of devices, from the library of the hub. */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { DeviceSns } from './device-fields.ts';
import { endpoints } from './endpoint.ts';
import { limits } from './limits.ts';
import { whole } from './rules.ts';
import { upgradeFaults } from './upgrade-states.ts';

const { parallel } = limits.upgrade;

export const UpgradePlan = z.object({
  /** Devices that are upgraded at the same time. Default: 4. */
  'max-parallel': z.optional(whole({ min: 1, max: parallel.max })),
  /** The first device of the list is upgraded before the others, which are upgraded only if that succeeds. */
  canary: z.optional(z.boolean()),
  /** After so many failures no further device starts. 0, the default: all are tried. */
  'stop-after-failures': z.optional(whole({ min: 0, max: limits.devicesPerCall })),
});
export type UpgradePlan = z.infer<typeof UpgradePlan>;

export const deviceUpgradeApi = endpoints(calls.deviceUpgrades, {
  start: {
    summary:
      'Upgrade the firmware of devices, as a task with an item for each. Devices that get a result other than 0 at once are left as they are.',
    needs: 'devices',
    body: z.object({
      sn: DeviceSns,
      /** Id of a file of `firmware/list`. */
      'firmware-id': z.int('number'),
      /**
       * Also devices that run this version (1003 without), or a higher one (1009 without), which may lose their settings.
       */
      force: z.optional(z.boolean()),
      plan: z.optional(UpgradePlan),
      /** Only tells the result of each device; nothing starts. */
      'dry-run': z.optional(z.boolean()),
    }),
    response: z.object({
      details: z.array(
        z.object({
          sn: z.string(),
          /** 0: its upgrade starts. Published are 24 (file for another model), 16 (no such device), 12 (offline), 11 (busy). */
          result: z.int(),
          /** Why not. */
          reason: z.optional(z.enum(Object.keys(upgradeFaults) as [keyof typeof upgradeFaults])),
        }),
      ),
      /** Id of the task; absent if no upgrade starts. */
      task: z.optional(z.int()),
    }),
  },
});
