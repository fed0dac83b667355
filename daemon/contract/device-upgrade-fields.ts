/** Upgrades of devices as other objects show them. */
import * as z from 'zod/mini';
import { coded } from './rules.ts';
import { updateStates, upgradeSteps } from './upgrade-states.ts';

const Percent = z.int();

/** The upgrade of one device within a task. */
export const ItemUpgrade = z.object({
  step: z.enum(upgradeSteps),
  /** 0 to 100 of the step: of the file while it is sent, of what the device counts while it writes. */
  percent: Percent,
  /** Versions before and after. */
  from: z.string(),
  to: z.string(),
  /** Milliseconds since 1970; 0: not yet. */
  started: z.int(),
  ended: z.int(),
  /** When the device was told to write, in milliseconds since 1970, and for how many seconds it had been running then. */
  'writing-since': z.optional(z.int()),
  'uptime-s': z.optional(z.number()),
});
export type ItemUpgrade = z.infer<typeof ItemUpgrade>;

/** Members of a device object. */
export const deviceUpgradeFields = {
  /** Failed, until the next upgrade, means that the last one failed. */
  'update-state': coded(updateStates),
  /** The upgrade that is running or waits; absent: there is none. */
  upgrade: z.optional(
    z.object({
      /** Id of the task. */
      task: z.int(),
      step: z.enum(upgradeSteps),
      percent: Percent,
      /** Version that the device will have. */
      to: z.string(),
    }),
  ),
} as const;
