/** The clock of a machine in memory: servers answer if their name begins with `good`, or is an address. */
import { isIP } from 'node:net';
import { HubError } from '../../lib/hub-error.ts';
import type { Asker } from '../helper/operations.ts';
import type { MissingPart } from '../missing-part.ts';
import type { NtpConfig, TimePort } from './port.ts';

export interface TimeDouble {
  readonly port: TimePort;
  /** Who asked for what, in order. */
  readonly asked: { readonly what: unknown; readonly by: Asker }[];
  /** Every read of NTP throws this. */
  fault: MissingPart | undefined;
  /** Every change throws this. */
  refusal: MissingPart | undefined;
}

const zones = ['America/New_York', 'Asia/Shanghai', 'Etc/UTC', 'Europe/Berlin'];

export function createTimeDouble(): TimeDouble {
  let ntp: NtpConfig = { enabled: true, servers: ['good.example'] };
  let zone = 'Etc/UTC';
  let name = 'signalbox';
  const isGood = (server: string) => server.startsWith('good') || isIP(server) !== 0;
  const change = (what: unknown, by: Asker): void => {
    if (double.refusal !== undefined) throw double.refusal;
    double.asked.push({ what, by });
  };
  const read = (): NtpConfig => {
    if (double.fault !== undefined) throw double.fault;
    return ntp;
  };
  const double: TimeDouble = {
    ...{ asked: [], fault: undefined, refusal: undefined },
    port: {
      ntp: async () => read(),
      async synchronization() {
        const { enabled, servers } = read();
        const used = enabled ? servers : [];
        const first = used.find(isGood);
        return {
          state: first === undefined ? 'waiting' : 'synchronized',
          ...(first !== undefined && { offsetMs: 0.42 }),
          sources: used.map((server) => {
            if (!isGood(server)) return { name: server, state: 'unreachable', stratum: 0 };
            return { name: server, state: server === first ? 'selected' : 'combined', stratum: 2, offsetMs: 0.5 };
          }),
        };
      },
      zone: async () => zone,
      zones: async () => zones,
      async apply(next, by) {
        change(next, by);
        ntp = next.ntp ?? ntp;
        zone = next.zone ?? zone;
      },
      async set(at, by) {
        if (ntp.enabled) throw new HubError('wrongState', 'the clock follows NTP; switch NTP off first');
        change({ at }, by);
      },
      hostName: async () => name,
      async setHostName(next, by) {
        change({ name: next }, by);
        name = next;
      },
    },
  };
  return double;
}
