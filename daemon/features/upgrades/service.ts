/** Starts upgrades of devices: decides for each device, and begins the task. */
import type { deviceUpgradeApi } from '../../contract/device-upgrades.ts';
import type { BodyOf, ResponseOf } from '../../contract/endpoint.ts';
import { limits } from '../../contract/limits.ts';
import { results } from '../../contract/result.ts';
import { type UpgradeFault, upgradeFaults } from '../../contract/upgrade-states.ts';
import type { CallerAccess } from '../../http/object-access.ts';
import type { Actor, Session } from '../../http/route.ts';
import type { OwnDevice } from '../devices/inventory.ts';
import type { UpgradeParts } from './feature.ts';
import { misfit, type Wanted } from './fit.ts';
import type { UpgradeOrder } from './run.ts';

type Api = typeof deviceUpgradeApi.start;

export function createUpgradeService({ deps, running, work }: UpgradeParts) {
  const { devices, tasks, audit, db } = deps;

  const faultFor = (objects: CallerAccess, own: OwnDevice | undefined, wanted: Wanted): UpgradeFault | undefined => {
    if (own === undefined || !objects.canSee(own)) return 'unknownDevice';
    if (!objects.canAct(own, 'deviceControl')) return 'notPermitted';
    const { connection, facts } = devices.reportOf(own);
    const device = {
      ...own.row,
      ...{ isOverLicense: devices.isOver(own.row.sn), isOnline: connection === 'online', facts },
      isUpgrading: running.has(own.row.sn),
    };
    return misfit(device, wanted);
  };

  return {
    async start(actor: Actor, session: Session, objects: CallerAccess, body: BodyOf<Api>): Promise<ResponseOf<Api>> {
      const library = await deps.firmware.library();
      const file = library.find(body['firmware-id']);
      const wanted = { ...file, force: body.force ?? false };
      const sns = [...new Set([body.sn].flat())];
      // From here on nothing is awaited: no other call may begin with the same devices meanwhile.
      const decided = sns.map((sn) => {
        const own = devices.find(sn);
        return { sn, own, fault: faultFor(objects, own, wanted) };
      });
      const details = decided.map(({ sn, fault }) => ({
        ...{ sn, result: results[fault === undefined ? 'success' : upgradeFaults[fault]].code },
        ...(fault && { reason: fault }),
      }));
      const fit = decided.flatMap(({ own, fault }) => (own !== undefined && fault === undefined ? [own] : []));
      if (body['dry-run'] === true || fit.length === 0) return { details };
      const plan = body.plan ?? {};
      const order: UpgradeOrder = {
        ...{ firmwareId: file.id, actor, maxParallel: plan['max-parallel'] ?? limits.upgrade.parallel.default },
        ...{ canary: plan.canary ?? false, stopAfterFailures: plan['stop-after-failures'] ?? 0 },
      };
      const items = fit.map(({ row: { sn, name, firmwareVersion: from } }) => ({
        ...{ key: sn, name },
        upgrade: { step: 'waiting', percent: 0, from, to: file.version, started: 0, ended: 0 } as const,
      }));
      const task = tasks.begin(session, { kind: 'device.upgrade', subject: file.fileName, items, data: order }, (run) =>
        work(run, order, false),
      );
      audit.note(db, actor, {
        action: 'devices.upgrade',
        subject: file.fileName,
        changes: [{ word: 'deviceCount', value: `${items.length}` }],
      });
      return { details, task };
    },
  };
}
