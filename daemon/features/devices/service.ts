/** Changes of devices: the rules, the transaction with its entries in the operation log, then what follows from it. */
import { isDeepStrictEqual } from 'node:util';
import { capabilitiesOf, familyOf } from '../../contract/device-catalog.ts';
import type { DeviceConnection, SecurityChange } from '../../contract/device-fields.ts';
import { readDeviceAddress } from '../../contract/device-fields.ts';
import { regStates } from '../../contract/device-states.ts';
import type { deviceApi } from '../../contract/devices.ts';
import type { BodyOf } from '../../contract/endpoint.ts';
import type { OperationChange } from '../../contract/logs.ts';
import type { CallerAccess } from '../../http/object-access.ts';
import type { Actor } from '../../http/route.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import { type Queries, transaction } from '../../store/database.ts';
import { refuseStale, revisionOf } from '../../store/revisions.ts';
import { deviceRows } from '../../store/rows.ts';
import { describeChange } from './change.ts';
import { connectionChanges, normalConnection } from './connection.ts';
import type { DeviceDeps } from './deps.ts';
import type { Inventory, OwnDevice } from './inventory.ts';
import { oscAddress, refuseLogin } from './osc-rows.ts';
import { unknownDevice } from './problem-result.ts';
import { newPushKey } from './push-key.ts';
import type { Reports } from './reports.ts';
import { changedMasks, changedSecurity, describeSecurity } from './security-change.ts';
import {
  type DeviceRow,
  detachDevices,
  deviceBySn,
  deviceEdit,
  globalEdit,
  readGlobal,
  updateDevices,
  writeGlobal,
} from './store.ts';
import { streamChange } from './stream-rows.ts';

export type DeviceService = ReturnType<typeof createDeviceService>;
type Sns = string | readonly string[];

/** What the services of the noun share. */
export interface DeviceContext extends DeviceDeps {
  readonly inventory: Inventory;
  readonly reports: Reports;
  /** Called after a change of these devices was stored. */
  readonly onStored: (sns: readonly string[]) => void;
  /** The same of groups, or of what applies to all devices. */
  readonly onGroupsStored: () => void;
}

/** Returns the devices, each once. Throws `clientNotExist` for the first that the caller does not see. */
export function visibleDevices({ inventory }: Pick<DeviceContext, 'inventory'>, objects: CallerAccess, sns: Sns) {
  const devices = inventory.devices();
  const found = [sns].flat().map((sn, position) => {
    const own = devices.get(sn);
    if (own === undefined || !objects.canSee(own)) throw unknownDevice(position);
    return own;
  });
  return [...new Set(found)];
}

/** Throws `clientNotExist` for a device that the caller does not see. */
export function visibleDevice(context: Pick<DeviceContext, 'inventory'>, objects: CallerAccess, sn: string): OwnDevice {
  const [own] = visibleDevices(context, objects, sn);
  if (own === undefined) throw unknownDevice();
  return own;
}

/** Throws `notExist` for a group that the caller does not see. Returns null for 0. */
export function visibleGroup({ inventory }: Pick<DeviceContext, 'inventory'>, objects: CallerAccess, id: number) {
  if (id === 0) return null;
  return objects.visible(inventory.groups().get(id), 'device group', id);
}

export function createDeviceService(context: DeviceContext) {
  const { db, audit, license, now } = context;
  /** Stores a change of each device with an entry; `work` returns the changes, or undefined if there is none. */
  const changeEach = (
    actor: Actor,
    devices: readonly OwnDevice[],
    action: string,
    work: (tx: Queries, row: DeviceRow) => readonly OperationChange[] | undefined,
  ): void => {
    transaction<void>(db, (tx) => {
      for (const { row } of devices) {
        const changes = work(tx, row);
        if (changes === undefined) continue;
        audit.record(tx, actor, { action, subject: row.name, changes, edited: [deviceEdit(row.id)] });
      }
    });
    context.onStored(devices.map(({ row }) => row.sn));
  };
  const update = (tx: Queries, { id }: DeviceRow, change: Partial<DeviceRow>) => updateDevices(tx, [id], change);

  return {
    accept(actor: Actor, objects: CallerAccess, { sn, 'catalog-id': groupId }: BodyOf<typeof deviceApi.accept>): void {
      const devices = visibleDevices(context, objects, sn).filter(({ row }) => row.regState !== regStates.accepted);
      const group = groupId === undefined ? undefined : visibleGroup(context, objects, groupId);
      transaction<void>(db, (tx) =>
        license.within(tx, () => {
          for (const { row } of devices) {
            const inGroup = group === undefined ? {} : { groupId: group?.id ?? null };
            update(tx, row, { regState: regStates.accepted, appliedAt: now(), ...inGroup });
            const changes: OperationChange[] = group ? [{ word: 'deviceGroup', value: group.row.name }] : [];
            const edited = [deviceEdit(row.id)];
            audit.record(tx, actor, { action: 'device.accept', subject: row.name, changes, edited });
          }
        }),
      );
      context.onStored(devices.map(({ row }) => row.sn));
    },
    reject(actor: Actor, objects: CallerAccess, sns: Sns): void {
      const devices = visibleDevices(context, objects, sns);
      changeEach(actor, devices, 'device.reject', (tx, row) => {
        if (row.regState === regStates.rejected) return undefined;
        detachDevices(tx, [row.id]);
        update(tx, row, { regState: regStates.rejected, appliedAt: now() });
        return [];
      });
      context.channels.applyDesired();
    },
    del(actor: Actor, objects: CallerAccess, sns: Sns): void {
      const devices = visibleDevices(context, objects, sns);
      transaction<void>(db, (tx) => {
        deviceRows.delete(
          tx,
          devices.map(({ row }) => row.id),
        );
        for (const { row } of devices) {
          const changes: OperationChange[] = [{ word: 'serialNumber', value: row.sn }];
          audit.record(tx, actor, { action: 'device.del', subject: row.name, changes });
        }
      });
      context.onStored(devices.map(({ row }) => row.sn));
      context.channels.applyDesired();
    },
    favorite(
      actor: Actor,
      objects: CallerAccess,
      { sns, enable, userId }: { readonly sns: Sns; readonly enable: boolean; readonly userId: number },
    ): void {
      const devices = visibleDevices(context, objects, sns).filter(
        ({ row }) => ((row.favorites & userId) !== 0) !== enable,
      );
      transaction<void>(db, (tx) => {
        for (const { row } of devices) {
          const favorites = (enable ? row.favorites | userId : row.favorites & ~userId) >>> 0;
          update(tx, row, { favorites });
          audit.record(tx, actor, { action: enable ? 'device.favorite' : 'device.noFavorite', subject: row.name });
        }
      });
      context.onStored(devices.map(({ row }) => row.sn));
    },
    move(actor: Actor, objects: CallerAccess, sns: Sns, groupId: number): void {
      const group = visibleGroup(context, objects, groupId);
      changeEach(actor, visibleDevices(context, objects, sns), 'device.move', (tx, row) => {
        if (row.groupId === (group?.id ?? null)) return undefined;
        if (row.regState !== regStates.accepted) throw notAccepted(row.name);
        update(tx, row, { groupId: group?.id ?? null });
        return [group ? { word: 'deviceGroup', value: group.row.name } : { word: 'noDeviceGroup' }];
      });
    },
    config(actor: Actor, objects: CallerAccess, sns: Sns, config: DeviceConnection): void {
      const devices = visibleDevices(context, objects, sns);
      const connection = normalConnection(config);
      const fixed = devices.find(({ row }) => !canConfigure(row));
      if (fixed && connection) {
        const name = fixed.row.name;
        throw new HubError('unsupported', `the connection of '${name}' cannot be configured`, {
          params: { what: name },
        });
      }
      changeEach(actor, devices, 'device.config', (tx, row) => {
        if (isDeepStrictEqual(row.connection, connection)) return undefined;
        update(tx, row, { connection });
        return connectionChanges(connection ?? {});
      });
    },
    setSecurity(actor: Actor, objects: CallerAccess, sns: Sns, change: SecurityChange): void {
      changeEach(actor, visibleDevices(context, objects, sns), 'device.security', (tx, row) => {
        const security = changedSecurity(tx, row, change);
        if (isDeepStrictEqual(security, changedSecurity(tx, row, {}))) return undefined;
        update(tx, row, security);
        return describeSecurity(tx, security);
      });
    },
    /** Returns the key, and records that the caller sees it. */
    revealKey(actor: Actor, { row }: OwnDevice): string {
      audit.record(db, actor, { action: 'device.reveal', subject: row.name });
      return row.pushKey;
    },
    /** Returns the new key. */
    renewKey(actor: Actor, own: OwnDevice): string {
      const pushKey = newPushKey(own.row.sn);
      changeEach(actor, [own], 'device.renewKey', (tx, row) => {
        update(tx, row, { pushKey });
        return [];
      });
      context.channels.applyDesired();
      return pushKey;
    },
    /** Renames the device itself, too, if it is online and can be renamed. Returns the new revision. */
    async set(actor: Actor, objects: CallerAccess, desired: BodyOf<typeof deviceApi.set>): Promise<number> {
      const device = visibleDevice(context, objects, desired.sn);
      const { row } = device;
      const edited = deviceEdit(row.id);
      refuseStale(db, edited, row.name, desired.revision);
      if (row.stream === null) refuseWrongWay(row, desired);
      if (row.oscPort === null && desired['osc-port'] !== undefined)
        throw fieldError('osc-port', 'unsupported', 'only available for devices of the driver v1');
      const stream = row.stream === null ? undefined : streamChange(context.secrets, row, desired);
      const own = stream === undefined ? desired : { name: desired.name, pin: desired.pin, sn: desired.sn };
      const change = { ...changeOf(row, own), ...stream?.columns };
      const isRenamed = change.name !== undefined && (await renameItself(context, device, change.name));
      const password = stream === undefined ? desired.password : undefined;
      const sealed = password === undefined ? {} : { password: context.secrets.seal(password) };
      const stored = { ...change, ...sealed, ...(isRenamed && { ownName: change.name }) };
      if (Object.keys(stored).length === 0) return row.revision;
      const revision = transaction<number>(db, (tx) => {
        // Another user may have deleted it while it was renamed.
        if (deviceBySn(tx, row.sn)?.id !== row.id) throw unknownDevice();
        refuseStale(tx, edited, row.name, desired.revision);
        update(tx, row, stored);
        audit.record(tx, actor, {
          ...{ action: 'device.set', subject: row.name, changes: stream?.changes(stored) ?? describeChange(stored) },
          edited: [edited],
        });
        return revisionOf(tx, edited);
      });
      // Also if it is the same password: the user may have set it on the device meanwhile.
      if (desired.password !== undefined) context.reports.beginAgain(row.sn);
      context.onStored([row.sn]);
      if (change.name !== undefined || change.stream !== undefined) context.channels.applyDesired();
      return revision;
    },
    /** Returns the new revision. */
    setGlobal(actor: Actor, { security, config, revision }: BodyOf<typeof deviceApi.setGlobal>): number {
      const now = transaction<number>(db, (tx) => {
        refuseStale(tx, globalEdit, 'devices', revision);
        const before = readGlobal(tx);
        const masks = security ? changedMasks(tx, before.masks, security) : before.masks;
        const connection = config ? (normalConnection(config) ?? {}) : before.connection;
        const changes = [
          ...(isDeepStrictEqual(masks, before.masks) ? [] : describeSecurity(tx, masks)),
          ...(isDeepStrictEqual(connection, before.connection) ? [] : connectionChanges(connection)),
        ];
        if (changes.length === 0) return revisionOf(tx, globalEdit);
        writeGlobal(tx, { masks, connection });
        audit.record(tx, actor, { action: 'device.global', subject: 'devices', changes, edited: [globalEdit] });
        return revisionOf(tx, globalEdit);
      });
      context.onGroupsStored();
      return now;
    },
    getGlobal() {
      const { masks, connection } = context.inventory.global();
      return {
        security: { 'group-mask': masks.groupMask, 'usr-mask': masks.userMask },
        config: connection,
        revision: revisionOf(db, globalEdit),
      };
    },
  };
}

/** For devices that are not streams. */
export function checkAddress(address: string): void {
  if (readDeviceAddress(address) === undefined)
    throw fieldError('address', 'deviceAddress', 'must be host:port or an HTTP address without a path');
}

export function notAccepted(name: string): HubError {
  return new HubError('wrongState', `'${name}' is not accepted`, { params: { what: name } });
}

/** Returns the columns that change; the password is not among them. */
function changeOf(row: DeviceRow, desired: BodyOf<typeof deviceApi.set>): Partial<DeviceRow> {
  const { name, user, pin, 'osc-port': oscPort } = desired;
  const given = desired.address?.trim();
  const address = given === undefined || row.oscPort === null ? given : oscAddress(given);
  const asked = { name, address, user, pin: pin?.toLowerCase(), oscPort };
  const names = Object.keys(asked) as (keyof typeof asked)[];
  const changed = names.filter((column) => asked[column] !== undefined && asked[column] !== row[column]);
  return Object.fromEntries(changed.map((column) => [column, asked[column]]));
}

/** Whether it has the name now. A device that is offline or cannot be renamed has another name on the hub. */
async function renameItself({ reports }: DeviceContext, own: OwnDevice, name: string): Promise<boolean> {
  if (reports.of(own).connection !== 'online') return false;
  let isRenamed = false;
  await reports.act(own, async ({ rename }, signal) => {
    if (rename === undefined) return;
    const pause = await rename(name, signal);
    isRenamed = true;
    return pause;
  });
  return isRenamed;
}

function canConfigure({ module, productId, model, api }: DeviceRow): boolean {
  return capabilitiesOf({ family: familyOf(module), productId, model, api }).connectionConfig;
}

/** For devices that are not streams. The password that was entered for one address is not sent to another one. */
function refuseWrongWay(row: DeviceRow, desired: BodyOf<typeof deviceApi.set>): void {
  const { address, password, user, snapshot } = desired;
  if (row.oscPort !== null) refuseLogin(desired);
  if (snapshot !== undefined) throw fieldError('snapshot', 'unsupported', 'only available for streams');
  if (address !== undefined) checkAddress(address);
  if (row.link === 'agent' && (address !== undefined || password !== undefined || user !== undefined)) {
    throw new HubError('unsupported', `'${row.name}' is reached through its agent`, { params: { what: row.name } });
  }
  if (address === undefined || password !== undefined || row.password === null) return;
  const [before, next] = [row.address, address].map(readDeviceAddress);
  if (isDeepStrictEqual(before, next)) return;
  throw fieldError('password', 'required', 'a new address requires the password again');
}
