/** The clock of the appliance: shows it and changes it. The system has what applies; the hub stores only who changed it. */
import { MissingPart, missingOf } from '../../appliance/missing-part.ts';
import type { TimePort } from '../../appliance/time/port.ts';
import type { Missing } from '../../contract/appliance.ts';
import type { OperationChange } from '../../contract/logs.ts';
import type { TimeView } from '../../contract/time.ts';
import type { TimeChange } from '../../contract/time-fields.ts';
import type { Actor } from '../../http/route.ts';
import { fieldError } from '../../lib/hub-error.ts';
import { type Database, transaction } from '../../store/database.ts';
import { refuseStale, revisionOf } from '../../store/revisions.ts';
import type { Audit } from '../logs/audit.ts';
import { edited, keepRow } from './store.ts';

interface TimeDeps {
  readonly db: Database;
  readonly audit: Audit;
  readonly time: TimePort;
  readonly now: () => number;
  /** Called once the system has another time zone. */
  readonly onZone: (zone: string) => void;
}

export type TimeService = ReturnType<typeof createTimeService>;

export function createTimeService({ db, audit, time, now, onZone }: TimeDeps) {
  const askerOf = ({ name, ip }: Actor) => ({ user: name, address: ip });
  /** Returns undefined, and notes the part, if one is missing. */
  const unlessMissing = async <T>(read: Promise<T>, missing: Map<string, Missing[number]>): Promise<T | undefined> => {
    try {
      return await read;
    } catch (error) {
      const one = missingOf(error);
      missing.set(one.part, one);
      return undefined;
    }
  };

  return {
    async get(): Promise<TimeView> {
      const missing = new Map<string, Missing[number]>();
      const [ntp, sync, zone, zones] = await Promise.all([
        unlessMissing(time.ntp(), missing),
        unlessMissing(time.synchronization(), missing),
        ...[time.zone(), time.zones()],
      ] as const);
      const { enabled = false, servers = [] } = ntp ?? {};
      const state = ntp !== undefined && !enabled ? 'off' : (sync?.state ?? 'unknown');
      const offsetMs = state === 'synchronized' ? sync?.offsetMs : undefined;
      return {
        ...{ now: now(), ntp: { enable: enabled, servers: [...servers] }, zone, state },
        ...(offsetMs !== undefined && { 'offset-ms': rounded(offsetMs) }),
        sources: (sync?.sources ?? []).map(({ name, state: reached, stratum, offsetMs: measured }) => ({
          ...{ name, state: reached, stratum },
          ...(measured !== undefined && { 'offset-ms': rounded(measured) }),
        })),
        zones: [...new Set([...zones, zone])].toSorted(),
        missing: [...missing.values()],
        revision: revisionOf(db, edited),
      };
    },
    /** Returns the new revision. */
    async set(actor: Actor, change: TimeChange): Promise<number> {
      refuseStale(db, edited, 'time', change.revision);
      const { ntp, zone, date } = change;
      if (zone !== undefined && !(await time.zones()).includes(zone)) {
        throw fieldError('zone', 'exists', 'the system has no such time zone');
      }
      const follows = ntp?.enable ?? (await time.ntp().catch(offIfMissing)).enabled;
      if (date !== undefined && follows) {
        throw fieldError('date', 'ntpOn', 'the clock follows NTP; switch NTP off first');
      }
      const wanted = {
        ...(ntp && { ntp: { enabled: ntp.enable, servers: ntp.servers } }),
        ...(zone !== undefined && { zone }),
      };
      if (Object.keys(wanted).length > 0) await time.apply(wanted, askerOf(actor));
      if (zone !== undefined) onZone(zone);
      if (date !== undefined) await time.set(date, askerOf(actor));
      const entry = { action: 'time.set', subject: 'time', changes: described(change), edited: [edited] };
      transaction<void>(db, (tx) => {
        keepRow(tx);
        audit.record(tx, actor, entry);
      });
      return revisionOf(db, edited);
    },
    async setHostName(actor: Actor, name: string): Promise<void> {
      await time.setHostName(name, askerOf(actor));
      const changes = [{ word: 'name', value: name }] as const;
      transaction<void>(db, (tx) => audit.record(tx, actor, { action: 'system.hostName', subject: '', changes }));
    },
  };
}

/** Without chrony, the clock follows nothing. */
function offIfMissing(error: unknown) {
  if (error instanceof MissingPart) return { enabled: false };
  throw error;
}

function described({ ntp, zone, date }: TimeChange): OperationChange[] {
  return [
    ...(ntp
      ? [ntp.enable ? ({ word: 'ntp', value: ntp.servers.join(', ') } as const) : ({ word: 'noNtp' } as const)]
      : []),
    ...(zone === undefined ? [] : [{ word: 'timeZone', value: zone } as const]),
    ...(date === undefined ? [] : [{ word: 'clock', value: new Date(date).toISOString() } as const]),
  ];
}

/** Microseconds are as much as chrony knows. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
