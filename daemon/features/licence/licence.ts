/** What the licence allows. The one place that knows: whoever counts or refuses asks here. */
import { limits } from '../../contract/limits.ts';
import { HubError } from '../../lib/hub-error.ts';
import type { Queries } from '../../store/database.ts';
import { countUse, type LicenceUse } from './store.ts';

export type LicenceLimits = LicenceUse;

/** As much as the product can. */
export const mostOfAll: LicenceLimits = {
  channels: limits.channels,
  outputs: limits.outputs,
  srt: limits.inputs + limits.outputs,
};

export interface Licence {
  limits(): LicenceLimits;
  /**
   * Runs a change within its transaction and refuses it when more would then be used than is allowed. What is over
   * already (a smaller licence came) goes on, and may be made less.
   */
  within<T>(tx: Queries, work: () => T): T;
}

export function createLicence(allowed: LicenceLimits): Licence {
  return {
    limits: () => allowed,
    within(tx, work) {
      const before = countUse(tx);
      const value = work();
      const after = countUse(tx);
      for (const what of ['channels', 'outputs', 'srt'] as const) {
        if (after[what] > allowed[what] && after[what] > before[what]) throw refusal(what, allowed[what], before[what]);
      }
      return value;
    },
  };
}

const nouns: Readonly<Record<keyof LicenceLimits, string>> = {
  channels: 'channels that are switched on',
  outputs: 'outputs that are switched on',
  srt: 'SRT inputs and outputs in use',
};

function refusal(what: keyof LicenceLimits, limit: number, used: number): HubError {
  const message = `the licence allows ${limit} ${nouns[what]}, and there are ${used}`;
  return new HubError('licenseLimit', message, { params: { what, limit, used } });
}
