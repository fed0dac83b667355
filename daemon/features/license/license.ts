/** What the license allows. All code that counts or refuses uses this module. */
import { limits } from '../../contract/limits.ts';
import { HubError } from '../../lib/hub-error.ts';
import type { Queries } from '../../store/database.ts';
import { countUse, type LicenseUse } from './store.ts';

export type LicenseLimits = LicenseUse;

/** The maximum that the product supports. */
export const maxLicense: LicenseLimits = {
  channels: limits.channels,
  outputs: limits.outputs,
  srt: limits.inputs + limits.outputs,
  devices: limits.devices,
};

export type License = ReturnType<typeof createLicense>;

export function createLicense(allowed: LicenseLimits) {
  return {
    limits: (): LicenseLimits => allowed,
    /**
     * Runs a change within its transaction and refuses it if it would exceed the license. Existing use above the limit
     * (after a change to a smaller license) continues, and may be reduced.
     */
    within<T>(tx: Queries, work: () => T): T {
      const before = countUse(tx);
      const value = work();
      const after = countUse(tx);
      for (const what of Object.keys(nouns) as (keyof LicenseLimits)[]) {
        if (after[what] > allowed[what] && after[what] > before[what]) throw refusal(what, allowed[what], before[what]);
      }
      return value;
    },
  };
}

const nouns: Readonly<Record<keyof LicenseLimits, string>> = {
  channels: 'channels that are switched on',
  outputs: 'outputs that are switched on',
  srt: 'SRT inputs and outputs in use',
  devices: 'accepted devices',
};

function refusal(what: keyof LicenseLimits, limit: number, used: number): HubError {
  const message = `the license allows ${limit} ${nouns[what]}, and there are ${used}`;
  return new HubError('licenseLimit', message, { params: { what, limit, used } });
}
