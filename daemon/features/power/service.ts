/** What the hub does with itself as a whole: restart, reset and import, one at a time. */
import type { PowerPort } from '../../appliance/power/port.ts';
import { type ResetKeep, type SystemArea, systemAreas } from '../../contract/power-fields.ts';
import { systemFlags } from '../../contract/variant.ts';
import type { Actor } from '../../http/route.ts';
import { createEmitter } from '../../lib/emitter.ts';
import { HubError } from '../../lib/hub-error.ts';
import { type Database, transaction } from '../../store/database.ts';
import { markReset } from '../../store/reset.ts';
import { timing } from '../../timing.ts';
import type { Audit } from '../logs/audit.ts';

/** A flag of the status, which every open console shows. */
export type Work = 'restarting' | 'resetting' | 'importing';

export interface WorkAtHand {
  /** It failed: the hub continues as it was. */
  end(): void;
  /** Restarts the hub soon. Returns the seconds until the console answers again. */
  restart(reason: string, streams?: 'continue' | 'end'): number;
}

export interface PowerDeps {
  readonly db: Database;
  readonly audit: Audit;
  /** The ports are those of the console while nothing else is set. */
  readonly config: { readonly dataDir: string; readonly httpPort: number; readonly httpsPort: number | null };
  /** Starts the hub again within this process. */
  readonly restart: (reason: string, streams: 'continue' | 'end') => void;
  /** The machine of an appliance; undefined on other hubs. */
  readonly machine: Pick<PowerPort, 'reboot'> | undefined;
  /** Devices lose their firmware if they are cut off now. */
  readonly runningUpgrades: () => number;
  /** A new code for the first password. */
  readonly makeSetupCode: () => string;
  /** The ports that are open. */
  readonly openPorts: () => { readonly http: number; readonly https: number | null };
}

/** A hub starts within this time, in seconds; a slow machine with a large database takes longest. */
const hubStartSeconds = 8;
/** A machine restarts within this time, in seconds: a small board with a slow disk takes longest. */
const machineRestartSeconds = 60;

export type PowerService = ReturnType<typeof createPowerService>;

export function createPowerService(deps: PowerDeps) {
  const { db, audit, config } = deps;
  const changes = createEmitter();
  let current: Work | undefined;
  const set = (work: Work | undefined): void => {
    current = work;
    changes.emit();
  };
  const delaySeconds = Math.ceil(timing.power.delayMs / 1000);
  const restartSeconds = delaySeconds + hubStartSeconds;

  const begin = (work: Work): WorkAtHand => {
    if (current !== undefined) {
      throw new HubError('inProgress', `the hub is ${current}; wait until it is back`, { params: { work: current } });
    }
    set(work);
    return {
      end: () => set(undefined),
      restart(reason, streams = 'continue') {
        setTimeout(() => deps.restart(reason, streams), timing.power.delayMs);
        return restartSeconds;
      },
    };
  };
  const refuseUpgrades = (force: boolean): void => {
    const running = deps.runningUpgrades();
    if (running === 0 || force) return;
    const message = 'devices are being upgraded: a restart would interrupt that';
    throw new HubError('objectBusy', message, { params: { what: 'upgrade', by: running } });
  };

  return {
    /** Bits of `systemFlags`. */
    flags: (): number => (current === undefined ? 0 : systemFlags[current]),
    onChange: changes.on,
    /** From a restart of the hub until the console answers again. */
    restartSeconds,
    /** Throws `inProgress` while something else is under way. */
    begin,
    reset(actor: Actor, { keep, force = false }: { keep: readonly ResetKeep[]; force?: boolean | undefined }) {
      refuseUpgrades(force);
      const work = begin('resetting');
      try {
        const setupCode = deps.makeSetupCode();
        // Only a log that is kept has the entry afterwards.
        const changes = keep.map((kept) => ({ word: 'kept' as const, value: kept }));
        transaction<void>(db, (tx) => audit.record(tx, actor, { action: 'system.reset', subject: 'all', changes }));
        markReset(config.dataDir, { keep, setupCode, ...(deps.machine && { system: areasOf(keep) }) });
        const estimate = work.restart('all settings are reset', 'end');
        const ports = keep.includes('network') ? deps.openPorts() : { http: config.httpPort, https: config.httpsPort };
        return { delay: delaySeconds, 'estimate-sec': estimate, 'setup-code': setupCode, ports };
      } catch (error) {
        work.end();
        throw error;
      }
    },
    async reboot(actor: Actor, force: boolean) {
      refuseUpgrades(force);
      const work = begin('restarting');
      if (deps.machine !== undefined) {
        try {
          await deps.machine.reboot({ user: actor.name, address: actor.ip });
        } catch (error) {
          work.end();
          throw error;
        }
        audit.note(db, actor, { action: 'system.reboot', subject: 'Signalbox' });
        return { delay: 0, 'estimate-sec': machineRestartSeconds, what: 'machine' as const };
      }
      audit.note(db, actor, { action: 'system.reboot', subject: 'Signalbox' });
      const estimate = work.restart('an operator restarts it', 'end');
      return { delay: delaySeconds, 'estimate-sec': estimate, what: 'hub' as const };
    },
  };
}

/** Areas of the operating system that are reset unless this part is kept. */
const keptBy: Readonly<Partial<Record<SystemArea, ResetKeep>>> = {
  network: 'network',
  hostName: 'network',
  journal: 'logs',
};

function areasOf(keep: readonly ResetKeep[]): SystemArea[] {
  return systemAreas.filter((area) => {
    const by = keptBy[area];
    return by === undefined || !keep.includes(by);
  });
}
