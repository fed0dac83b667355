/** Assembles the noun for the composition root: upgrades of devices, as tasks. Its code is loaded with the first one. */
import { calls, upgradeReportPath } from '../../contract/calls.ts';
import { regStates } from '../../contract/device-states.ts';
import type { ItemUpgrade } from '../../contract/device-upgrade-fields.ts';
import { limits } from '../../contract/limits.ts';
import type { ResultName } from '../../contract/result.ts';
import { updateStateOf, updateStates } from '../../contract/upgrade-states.ts';
import type { KeptDevice } from '../../devices/report.ts';
import type { Feature } from '../../http/feature.ts';
import { accessOf, type ObjectAccess } from '../../http/object-access.ts';
import { lazyRoutes, type Session } from '../../http/route.ts';
import { createSemaphore } from '../../lib/semaphore.ts';
import type { TokenBucket } from '../../lib/token-bucket.ts';
import type { Database } from '../../store/database.ts';
import { timing } from '../../timing.ts';
import type { OwnDevice } from '../devices/inventory.ts';
import type { Report } from '../devices/reports.ts';
import type { FirmwareLibrary } from '../firmware/library.ts';
import type { Audit } from '../logs/audit.ts';
import type { TaskRun } from '../tasks/running-task.ts';
import type { TaskService } from '../tasks/service.ts';
import { upgradeReportRoute } from './report-route.ts';
import type { UpgradeOrder } from './run.ts';

/** What upgrades need of the devices. */
export interface UpgradableDevices {
  readonly find: (sn: string) => OwnDevice | undefined;
  readonly reportOf: (own: OwnDevice) => Report;
  /** Whether the license allows fewer devices, and this one is too many. */
  readonly isOver: (sn: string) => boolean;
  readonly keep: (sn: string) => Promise<KeptDevice>;
  /** Says in the log of the device which version it has now, or why its upgrade failed. */
  readonly tell: (of: {
    readonly peer: string;
    readonly device: string;
    readonly version?: string;
    readonly reason?: string;
  }) => void;
  /** What the device object shows of upgrades has changed. */
  readonly onUpgrade: (sns: readonly string[]) => void;
}

export interface UpgradeDeps {
  readonly db: Database;
  readonly audit: Audit;
  readonly access: ObjectAccess;
  readonly tasks: Pick<TaskService, 'begin' | 'resume' | 'query'>;
  readonly devices: UpgradableDevices;
  readonly firmware: { readonly library: () => Promise<FirmwareLibrary> };
  readonly now: () => number;
  /** Bytes per second that all uploads together may take. */
  readonly rate: () => number;
}

interface RunningUpgrade {
  readonly task: number;
  readonly upgrade: ItemUpgrade;
}

export interface UpgradeParts {
  readonly deps: UpgradeDeps;
  /** By serial number. */
  readonly running: ReadonlyMap<string, RunningUpgrade>;
  readonly work: (run: TaskRun, order: UpgradeOrder, isResumed: boolean) => Promise<void>;
}

/** What a device object shows. */
export type ShownUpgrade = ReturnType<ReturnType<typeof createUpgradeFeature>['of']>;

const burstMs = 200;

export function createUpgradeFeature(deps: UpgradeDeps) {
  const { db, audit, access, devices, now } = deps;
  const running = new Map<string, RunningUpgrade>();
  /** Devices whose last upgrade failed. */
  const failed = new Set<string>();
  let bucket: TokenBucket | undefined;
  // The runtime has 256 places for requests, of which uploads occupy one each.
  const inTurn = createSemaphore({ atOnce: limits.upgrade.atOnce, longestLine: Number.POSITIVE_INFINITY });

  async function work(run: TaskRun, order: UpgradeOrder, isResumed: boolean): Promise<void> {
    const open = run.items.filter(({ state }) => state === 'waiting' || state === 'running');
    const sns = open.map(({ key }) => key);
    for (const { key, upgrade } of open) if (upgrade) running.set(key, { task: run.id, upgrade });
    devices.onUpgrade(sns);
    const end = (sn: string) => {
      if (running.get(sn)?.task === run.id) running.delete(sn);
      devices.onUpgrade([sn]);
    };
    try {
      const [{ runUpgrades }, { createTokenBucket }] = await Promise.all([
        import('./run.ts'),
        import('../../lib/token-bucket.ts'),
      ]);
      bucket ??= createTokenBucket({
        ...{ rate: deps.rate, burstMs, elapsed: () => performance.now(), wait: Bun.sleep },
      });
      const of = {
        ...{ keep: devices.keep, library: deps.firmware.library, bucket, inTurn, times: timing.upgrade, now },
        isAccepted: (sn: string) => devices.find(sn)?.row.regState === regStates.accepted,
        mayControl(sn: string, session: Session | null) {
          const own = devices.find(sn);
          return own === undefined || accessOf(access, session).canAct(own, 'deviceControl');
        },
        onChange(sn: string, upgrade: ItemUpgrade) {
          running.set(sn, { task: run.id, upgrade });
          devices.onUpgrade([sn]);
        },
        onEnd({ key, name }: { readonly key: string; readonly name: string }, result: ResultName, reason: string) {
          const { from = '', to = '' } = running.get(key)?.upgrade ?? {};
          if (result === 'success' || result === 'canceled') failed.delete(key);
          else failed.add(key);
          const changes = [{ word: 'firmwareVersion', value: `${from} → ${to}` } as const];
          if (result === 'success') devices.tell({ peer: key, device: name, version: to });
          else if (result !== 'canceled') devices.tell({ peer: key, device: name, reason });
          audit.note(db, order.actor, { action: 'device.upgrade', subject: name, changes, result });
          end(key);
        },
      };
      await runUpgrades(of, run, order, isResumed);
    } finally {
      for (const sn of sns) end(sn);
    }
  }

  deps.tasks.resume('device.upgrade', (data) => (run) => work(run, data as UpgradeOrder, true));

  const parts: UpgradeParts = { deps, running, work };
  return {
    routes: [lazyRoutes(calls.deviceUpgrades, async () => (await import('./routes.ts')).upgradeRoutes(parts))],
    plainRoutes: [upgradeReportRoute(upgradeReportPath, deps.tasks)],
    /** What the device object shows of upgrades. */
    of(sn: string) {
      const one = running.get(sn);
      if (one === undefined) return { 'update-state': failed.has(sn) ? updateStates.failed : updateStates.idle };
      const { task, upgrade } = one;
      const { step, percent, to } = upgrade;
      return { 'update-state': updateStates[updateStateOf[step]], upgrade: { task, step, percent, to } };
    },
  } satisfies Feature & { of: unknown };
}
