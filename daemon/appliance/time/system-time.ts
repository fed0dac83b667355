/** The clock of this machine: reads it as any user, and changes it through the helper. */
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { HubError } from '../../lib/hub-error.ts';
import type { HelperClient } from '../helper/client.ts';
import { ntpConfigOf, sourcesFile, sourcesOf, synchronizationOf } from './chrony.ts';
import { chronyc } from './chronyc.ts';
import type { NtpConfig, TimePort } from './port.ts';
import { presentZone, systemZones } from './zones.ts';

const maxServers = 2;

export function createSystemTime(helper: HelperClient): TimePort {
  const ntp = async (): Promise<NtpConfig> => {
    const own = await readFile(sourcesFile, 'utf8').catch(() => undefined);
    if (own !== undefined) return ntpConfigOf(own);
    // As the system came: a pool has several servers of one name.
    const sources = sourcesOf(await chronyc('-c', '-N', 'sources'));
    return {
      enabled: sources.length > 0,
      servers: [...new Set(sources.map(({ name }) => name))].slice(0, maxServers),
    };
  };
  return {
    ntp,
    async synchronization() {
      const [tracking, sources] = [await chronyc('-c', 'tracking'), await chronyc('-c', '-N', 'sources')];
      return synchronizationOf(tracking, sources);
    },
    zone: presentZone,
    zones: systemZones,
    async apply({ ntp: next, zone }, by) {
      const change = {
        ...(next && { ntp: { enabled: next.enabled, servers: [...next.servers] } }),
        ...(zone && { zone }),
      };
      await helper.call('time.apply', change, by);
    },
    async set(at, by) {
      if ((await ntp()).enabled) throw new HubError('wrongState', 'the clock follows NTP; switch NTP off first');
      await helper.call('time.set', { at }, by);
    },
    hostName: async () => hostname(),
    setHostName: async (name, by) => void (await helper.call('host-name.set', { name }, by)),
  };
}
