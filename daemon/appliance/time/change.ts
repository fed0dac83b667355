/** A change of clock and host name as part of a larger one. The system stores it at once, and again to revert it. */
import type { ChangeKind } from '../confirmed-change/kind.ts';
import type { Asker } from '../helper/operations.ts';
import type { NtpConfig, TimePort } from './port.ts';

/** Settings that are absent stay unchanged. */
export interface TimeSettings {
  readonly ntp?: NtpConfig;
  readonly zone?: string;
  readonly hostName?: string;
}

export interface TimeSettingsChange extends TimeSettings {
  readonly by: Asker;
}

interface Data {
  readonly next: TimeSettings;
  readonly previous: TimeSettings;
  readonly by: Asker;
}

/** `onZone` is called once the system has another time zone. */
export function timeChangeKind(time: TimePort, onZone: (zone: string) => void): ChangeKind<TimeSettingsChange, Data> {
  const set = async ({ ntp, zone, hostName }: TimeSettings, by: Asker): Promise<void> => {
    if (ntp !== undefined || zone !== undefined) {
      await time.apply({ ...(ntp && { ntp }), ...(zone !== undefined && { zone }) }, by);
    }
    if (zone !== undefined) onZone(zone);
    if (hostName !== undefined) await time.setHostName(hostName, by);
  };
  /** Returns the current values of the settings that the change names. */
  const readAs = async ({ ntp, zone, hostName }: TimeSettings): Promise<TimeSettings> => ({
    ...(ntp && { ntp: await time.ntp() }),
    ...(zone !== undefined && { zone: await time.zone() }),
    ...(hostName !== undefined && { hostName: await time.hostName() }),
  });
  return {
    prepare: async ({ by, ...next }) => ({ next, previous: await readAs(next), by }),
    apply: ({ next, by }) => set(next, by),
    seal: async () => true,
    save: async () => {},
    async revert({ previous, by }) {
      const now = await readAs(previous);
      const { ntp, zone, hostName } = previous;
      const differs = {
        ...(ntp && !Bun.deepEquals(ntp, now.ntp, true) && { ntp }),
        ...(zone !== undefined && zone !== now.zone && { zone }),
        ...(hostName !== undefined && hostName !== now.hostName && { hostName }),
      };
      await set(differs, by);
    },
  };
}
