/** Restores the values from before the helper's first change. Each area can be repeated after a power cut. */
import { readFile, rm } from 'node:fs/promises';
import type { HelperArea } from '../../appliance/power/port.ts';
import { allSources, sourcesFile } from '../../appliance/time/chrony.ts';
import { chronyc } from '../../appliance/time/chronyc.ts';
import { firstValues, forgetFirst } from './first-values.ts';
import type { Handler } from './handlers.ts';
import { hasSystemd, run } from './programs.ts';
import { configFile, replace, restartChrony, setZone } from './time.ts';

const areas: Readonly<Record<HelperArea, () => Promise<void>>> = {
  async hostName() {
    const { hostName } = firstValues();
    if (hostName !== undefined) await run('/usr/bin/hostnamectl', ['--no-ask-password', 'set-hostname', hostName]);
    forgetFirst('hostName');
  },
  async time() {
    const { zone, ntp } = firstValues();
    const config = await readFile(configFile, 'utf8').catch(() => undefined);
    if (config !== undefined) {
      const before = allSources(config);
      if (before !== config) await replace(configFile, before);
      await rm(sourcesFile, { force: true });
      if (hasSystemd()) await restartChrony(ntp);
      // Without systemd, chrony may not be running; it then reads its files when it starts.
      else await chronyc('reload', 'sources').catch(() => {});
    }
    if (zone !== undefined) await setZone(zone);
    forgetFirst('zone', 'ntp');
  },
  /** Deletes the journal of the whole machine, which runs only the hub. */
  async journal() {
    if (!hasSystemd()) return;
    await run('/usr/bin/journalctl', ['--rotate']);
    await run('/usr/bin/journalctl', ['--vacuum-size=1']);
  },
};

export const reset: Handler<'system.reset'> = async ({ area }) => {
  await areas[area as HelperArea]();
  return {};
};
