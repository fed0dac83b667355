/**
 * Tells devices to act: for the call of users, for the published paths of single devices, and for schedules. Each device
 * is told once, whatever happens: neither a failure nor a restart of the hub repeats an action.
 */
import type { DeviceActionParams } from '../../contract/device-action-calls.ts';
import {
  type ActionReason,
  actOf,
  type DeviceAct,
  type DeviceAction,
  refusedBy,
} from '../../contract/device-actions.ts';
import { limits } from '../../contract/limits.ts';
import type { OperationChange } from '../../contract/logs.ts';
import type { ResultName } from '../../contract/result.ts';
import { type DeviceSession, repeated } from '../../devices/driver.ts';
import { DeviceProblem } from '../../devices/problem.ts';
import { accessOf, type CallerAccess } from '../../http/object-access.ts';
import type { Actor, Session } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';
import { createSemaphore } from '../../lib/semaphore.ts';
import { transaction } from '../../store/database.ts';
import type { AuditEntry } from '../logs/audit.ts';
import type { OwnDevice } from './inventory.ts';
import { unknownDevice } from './problem-result.ts';
import type { DeviceReads } from './reads.ts';
import type { DeviceContext } from './service.ts';
import { deviceBySn, deviceEdit, updateDevices } from './store.ts';

/** Devices that the entry of a task in the operation log names. */
const namedInLog = 3;

/** Who acts: a user, or something that acts in the name of one, such as a schedule. */
export interface Acting {
  /** For the operation log. */
  readonly actor: Actor;
  /** Which devices it sees and may act on. */
  readonly objects: Pick<CallerAccess, 'canAct' | 'canSee'>;
}

/** What came of an action on one device. */
export interface ActionOutcome {
  readonly sn: string;
  readonly result: ResultName;
  /** With other results than `success`; its parameter `reason` says why (device-actions.ts). */
  readonly error?: HubError;
}

export type DeviceActions = ReturnType<typeof createDeviceActions>;

export function createDeviceActions(context: DeviceContext, reads: Pick<DeviceReads, 'view'>) {
  const { inventory, reports, tasks, audit, db, access } = context;

  /** Tells one device. Throws a `HubError`; the operation log has an entry in any case. */
  async function tell(
    sn: string,
    action: DeviceAction,
    params: DeviceActionParams,
    who: Acting,
  ): Promise<{ readonly isRepeated: boolean }> {
    const own = inventory.devices().get(sn);
    const seen = own !== undefined && who.objects.canSee(own) ? own : undefined;
    const entry = { action: `device.${action}`, subject: seen?.row.name ?? '', changes: changesOf(params) };
    try {
      if (seen === undefined) throw unknownDevice();
      if (!who.objects.canAct(seen, 'deviceControl')) {
        throw new HubError('notPermitted', `no permission to control '${seen.row.name}'`);
      }
      const reason = refusedBy(reads.view(seen), action);
      if (reason !== undefined) throw refusalFor(seen.row.name, reason);
      const done = await reports.act(seen, (session, signal) => sessionAct(session, action, params, signal));
      if (action === 'rename' && params.name !== undefined) storeName(seen, params.name, who.actor, entry);
      else audit.note(db, who.actor, entry);
      return { isRepeated: done === repeated };
    } catch (error) {
      const fault = error instanceof HubError ? error : new HubError('unknownError', 'internal error');
      audit.note(db, who.actor, { ...entry, changes: [...entry.changes, ...reasonOf(fault)], result: fault.result });
      throw error;
    }
  }

  /** The device has the name already. */
  function storeName(own: OwnDevice, name: string, actor: Actor, entry: AuditEntry): void {
    const { sn, id } = own.row;
    // What it stated before the act must not replace the new name.
    reports.renamed(sn, name);
    transaction<void>(db, (tx) => {
      // Another user may have deleted it meanwhile.
      if (deviceBySn(tx, sn)?.id !== id) throw unknownDevice();
      updateDevices(tx, [id], { name, ownName: name });
      audit.record(tx, actor, { ...entry, edited: [deviceEdit(id)] });
    });
    context.onStored([sn]);
    context.channels.applyDesired();
  }

  return {
    /** Returns whether the device says that it does so already. */
    tell,
    /** Tells devices, some of them at the same time; each for itself. Never rejects. */
    async act(
      sns: readonly string[],
      action: DeviceAction,
      params: DeviceActionParams,
      who: Acting,
    ): Promise<readonly ActionOutcome[]> {
      const each = [...new Set(sns)];
      const inTurn = createSemaphore({ atOnce: limits.deviceActionsAtOnce, longestLine: Number.POSITIVE_INFINITY });
      const names = namesOf(each, params);
      return await Promise.all(
        each.map((sn, at) =>
          inTurn(async (): Promise<ActionOutcome> => {
            try {
              await tell(sn, action, names(at), who);
              return { sn, result: 'success' };
            } catch (thrown) {
              const error = thrown instanceof HubError ? thrown : new HubError('unknownError', 'internal error');
              if (error !== thrown) context.log.error('an action on a device failed', { sn, reason: String(thrown) });
              return { sn, result: error.result, error };
            }
          }),
        ),
      );
    },
    /** Starts a task that does the same, and returns its id. A restart of the hub interrupts it. */
    begin(
      session: Session,
      sns: readonly string[],
      action: DeviceAction,
      params: DeviceActionParams,
      who: Acting,
    ): number {
      const each = [...new Set(sns)];
      const items = each.map((sn) => {
        const own = inventory.devices().get(sn);
        return { key: sn, name: own !== undefined && who.objects.canSee(own) ? own.row.name : sn };
      });
      const names = namesOf(each, params);
      const positions = new Map(each.map((sn, at) => [sn, at]));
      const id = tasks.begin(session, { kind: `device.${action}`, items }, (run) =>
        run.eachItem(limits.deviceActionsAtOnce, async ({ key }) => {
          // Its permissions may have changed since the task began.
          const now = run.session();
          if (now === null) throw new HubError('notPermitted', 'the user or the access token no longer exists');
          const objects = accessOf(access, now);
          await tell(key, action, names(positions.get(key) ?? 0), { actor: who.actor, objects });
        }),
      );
      const changes: OperationChange[] = [
        { word: 'deviceAction', value: action },
        { word: 'deviceCount', value: `${each.length}` },
        ...changesOf(params),
      ];
      // Not those that the caller does not see: what was sent instead of a serial number may be a secret.
      const seen = each.flatMap((sn) => inventory.devices().get(sn) ?? []).filter(who.objects.canSee);
      const first = seen.slice(0, namedInLog).map(({ row }) => row.name);
      audit.note(db, who.actor, { action: 'device.bulk', subject: first.join(', '), changes });
      return id;
    },
  };
}

const changesOf = ({ name }: DeviceActionParams): OperationChange[] =>
  name === undefined ? [] : [{ word: 'name', value: name }];

function reasonOf({ params }: HubError): OperationChange[] {
  const word = params?.reason ?? params?.problem;
  return word === undefined ? [] : [{ word: 'deviceReason', value: `${word}` }];
}

/** With several devices, each run of # in the name becomes the number of the device. */
function namesOf(sns: readonly string[], params: DeviceActionParams): (position: number) => DeviceActionParams {
  const { name } = params;
  if (name === undefined || sns.length < 2) return () => params;
  return (position) => ({
    ...params,
    name: name.replaceAll(/#+/g, ({ length }) => `${position + 1}`.padStart(length, '0')),
  });
}

type Act = (
  session: DeviceSession,
  on: boolean,
  params: DeviceActionParams,
  signal: AbortSignal,
) => Promise<unknown> | undefined;

/** Undefined: the session cannot do it. A pause is what the fleet takes from it. */
const acts: Readonly<Record<DeviceAct, Act>> = {
  rename: (session, _, { name }, signal) => (name === undefined ? undefined : session.rename?.(name, signal)),
  reboot: (session, _, __, signal) => session.reboot?.(signal),
  record: (session, on, _, signal) => session.setRecording?.(on, signal),
  live: (session, on, _, signal) => session.setLive?.(on, signal),
  quick: (session, on, _, signal) => session.setQuickStream?.(on, signal),
};

async function sessionAct(
  session: DeviceSession,
  action: DeviceAction,
  params: DeviceActionParams,
  signal: AbortSignal,
): Promise<unknown> {
  const done = acts[actOf[action]](session, action.endsWith('-start'), params, signal);
  if (done === undefined) throw new DeviceProblem('unsupported', `the device has no ${action}`);
  return await done;
}

const resultOfReason: Readonly<Record<ActionReason, ResultName>> = {
  notAccepted: 'wrongState',
  unsupported: 'unsupported',
  overLicense: 'licenseLimit',
  offline: 'clientOffline',
  connecting: 'clientOffline',
  pausing: 'deviceBusy',
  updating: 'deviceBusy',
  resetting: 'deviceBusy',
  rebooting: 'deviceBusy',
  formatting: 'deviceBusy',
  testing: 'deviceBusy',
  loading: 'deviceBusy',
  alreadyRecording: 'wrongState',
  notRecording: 'wrongState',
  alreadyLive: 'wrongState',
  notLive: 'wrongState',
};

const reasonTexts: Readonly<Record<ActionReason, string>> = {
  notAccepted: 'is not accepted',
  unsupported: 'cannot do that',
  overLicense: 'is above the license limit',
  offline: 'is offline',
  connecting: 'was not asked yet',
  pausing: 'restarts after another action',
  updating: 'updates its firmware',
  resetting: 'resets its settings',
  rebooting: 'restarts',
  formatting: 'formats its storage',
  testing: 'runs a test',
  loading: 'loads settings',
  alreadyRecording: 'records already',
  notRecording: 'does not record',
  alreadyLive: 'is live already',
  notLive: 'is not live',
};

function refusalFor(name: string, reason: ActionReason): HubError {
  return new HubError(resultOfReason[reason], `'${name}' ${reasonTexts[reason]}`, { params: { what: name, reason } });
}
