/** Groups of devices: a tree that devices and groups inherit their visibility from. */
import { isDeepStrictEqual } from 'node:util';
import type { DeviceGroup, deviceGroupApi } from '../../contract/device-groups.ts';
import type { BodyOf, QueryOf } from '../../contract/endpoint.ts';
import { limits } from '../../contract/limits.ts';
import type { OperationChange } from '../../contract/logs.ts';
import type { CallerAccess } from '../../http/object-access.ts';
import type { Actor } from '../../http/route.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import { windowOf } from '../../lib/list-page.ts';
import { inUse, nameTaken, notExist, tooMany } from '../../lib/refusals.ts';
import { type Queries, transaction } from '../../store/database.ts';
import { refuseStale, revisionOf } from '../../store/revisions.ts';
import { deviceGroupRows, deviceRows } from '../../store/rows.ts';
import type { Inventory, OwnGroup } from './inventory.ts';
import { changedSecurity, describeSecurity } from './security-change.ts';
import { type DeviceContext, type DeviceService, visibleGroup } from './service.ts';
import { everyone, globalEdit, groupEdit, updateDevices } from './store.ts';

export type DeviceGroups = ReturnType<typeof createDeviceGroups>;

const newSecurity = { isInherited: true, groupMask: everyone, userMask: everyone };

export function createDeviceGroups(context: DeviceContext, devices: DeviceService) {
  const { db, audit, now, inventory } = context;
  const shown = (objects: CallerAccess): DeviceGroup[] => [
    ...[...inventory.groups().values()].filter(objects.canSee).map((group) => viewGroup(inventory, objects, group)),
    viewNone(context),
  ];

  return {
    /** The newest first, and the devices in no group last. */
    list(objects: CallerAccess, { start, count }: QueryOf<typeof deviceGroupApi.list>) {
      const all = shown(objects).toSorted((a, b) => b.id - a.id);
      return { total: all.length, list: windowOf(all, start, count ?? all.length).list };
    },
    /** In order of creation, the devices in no group first. */
    inOrder: (objects: CallerAccess): DeviceGroup[] => shown(objects).toSorted((a, b) => a.id - b.id),
    /** The devices in no group only. */
    none: (): DeviceGroup[] => [viewNone(context)],
    /** Returns the id. */
    add(actor: Actor, objects: CallerAccess, body: BodyOf<typeof deviceGroupApi.add>): number {
      const name = body.name ?? body.param ?? '';
      const parent = visibleGroup(context, objects, body['parent-id'] ?? body.id ?? 0);
      if (depthOf(inventory, parent?.id ?? 0) >= limits.deviceGroups.depth) {
        throw tooMany('levels of device groups', limits.deviceGroups.depth);
      }
      const id = transaction<number>(db, (tx) => {
        if (deviceGroupRows.count(tx) >= limits.deviceGroups.count) {
          throw tooMany('device groups', limits.deviceGroups.count);
        }
        refuseTaken(inventory, parent?.id ?? 0, name);
        const security = changedSecurity(tx, newSecurity, body.security ?? {});
        const added = deviceGroupRows.insert(tx, { name, parentId: parent?.id ?? null, createdAt: now(), ...security });
        const changes: OperationChange[] = [
          ...(parent ? [{ word: 'deviceGroup', value: parent.row.name } as const] : []),
          ...(body.security ? describeSecurity(tx, security) : []),
        ];
        audit.record(tx, actor, { action: 'deviceGroup.add', subject: name, changes });
        return added;
      });
      context.onGroupsStored();
      return id;
    },
    /** Returns the new revision of the group, for id 0 that of what applies to all devices. */
    set(
      actor: Actor,
      objects: CallerAccess,
      { id, 'parent-id': parentId, devices: sns, security, revision }: BodyOf<typeof deviceGroupApi.set>,
    ) {
      const group = visibleGroup(context, objects, id);
      const shownParent = group === null ? 0 : viewGroup(inventory, objects, group)['parent-id'];
      if (parentId !== undefined && parentId !== shownParent) {
        throw fieldError('parent-id', 'unsupported', 'a group cannot be moved in the tree; add one there instead');
      }
      if (security !== undefined && group === null) devices.setGlobal(actor, { security, revision });
      if (security !== undefined && group !== null) {
        transaction<void>(db, (tx) => {
          refuseStale(tx, groupEdit(id), group.row.name, revision);
          const next = changedSecurity(tx, group.row, security);
          if (isDeepStrictEqual(next, changedSecurity(tx, group.row, {}))) return;
          deviceGroupRows.update(tx, id, next);
          const changes = describeSecurity(tx, next);
          audit.record(tx, actor, {
            ...{ action: 'deviceGroup.set', subject: group.row.name, changes },
            edited: [groupEdit(id)],
          });
        });
        context.onGroupsStored();
      }
      if (sns !== undefined && sns.length > 0) devices.move(actor, objects, sns, id);
      return revisionOf(db, group === null ? globalEdit : groupEdit(id));
    },
    /** Returns the new revision. */
    rename(actor: Actor, objects: CallerAccess, { id, param, revision }: BodyOf<typeof deviceGroupApi.rename>): number {
      const group = visibleGroup(context, objects, id);
      if (group === null) throw new HubError('notPermitted', 'the list of devices without a group cannot be renamed');
      transaction<void>(db, (tx) => {
        refuseStale(tx, groupEdit(id), group.row.name, revision);
        if (param === group.row.name) return;
        refuseTaken(inventory, group.parentId, param, id);
        deviceGroupRows.update(tx, id, { name: param });
        const changes: OperationChange[] = [{ word: 'name', value: param }];
        audit.record(tx, actor, {
          ...{ action: 'deviceGroup.set', subject: group.row.name, changes },
          edited: [groupEdit(id)],
        });
      });
      context.onGroupsStored();
      return revisionOf(db, groupEdit(id));
    },
    /** What is in a group that has something in it moves to the group above, with `force` only. */
    del(actor: Actor, objects: CallerAccess, { id, force = false }: BodyOf<typeof deviceGroupApi.del>): void {
      const groups = [...new Set([id].flat())].map((one) => {
        const group = visibleGroup(context, objects, one);
        if (group === null) throw notExist('device group', one);
        return group;
      });
      const moved: string[] = [];
      // The lowest first, so that what is in several of them moves as far as it has to.
      const upwards = groups.toSorted((a, b) => depthOf(inventory, b.id) - depthOf(inventory, a.id));
      transaction<void>(db, (tx) => {
        for (const group of upwards) moved.push(...remove(tx, context, actor, { group, force }));
      });
      context.onGroupsStored();
      context.onStored(moved);
    },
  };
}

/** Returns the serial numbers of the devices that moved. */
function remove(
  tx: Queries,
  { audit }: DeviceContext,
  actor: Actor,
  { group, force }: { readonly group: OwnGroup; readonly force: boolean },
): string[] {
  const { id, row } = group;
  const inside = deviceRows.list(tx).filter(({ groupId }) => groupId === id);
  const all = deviceGroupRows.list(tx);
  const children = all.filter(({ parentId }) => parentId === id);
  if (!force && inside.length + children.length > 0) {
    throw inUse(row.name, ...[...children, ...inside].map(({ name }) => name));
  }
  const parentId = all.find((one) => one.id === id)?.parentId ?? null;
  const siblings = all.filter((one) => one.parentId === parentId && one.id !== id);
  for (const child of children) {
    if (siblings.some(({ name }) => name === child.name)) throw nameTaken(child.name);
    deviceGroupRows.update(tx, child.id, { parentId });
  }
  updateDevices(
    tx,
    inside.map((device) => device.id),
    { groupId: parentId },
  );
  deviceGroupRows.delete(tx, [id]);
  audit.record(tx, actor, { action: 'deviceGroup.del', subject: row.name });
  return inside.map(({ sn }) => sn);
}

/** 0 for the top. */
function depthOf(inventory: Inventory, id: number): number {
  const parent = inventory.groups().get(id)?.parentId;
  return parent === undefined ? 0 : 1 + depthOf(inventory, parent);
}

function refuseTaken(inventory: Inventory, parentId: number, name: string, except?: number): void {
  const siblings = [...inventory.groups().values()].filter((one) => one.parentId === parentId && one.id !== except);
  if (siblings.some(({ row }) => row.name === name)) throw nameTaken(name);
}

/** The parent is the nearest group above that the caller sees. */
function viewGroup(inventory: Inventory, objects: CallerAccess, { id, row, parentId }: OwnGroup): DeviceGroup {
  const groups = inventory.groups();
  let above = groups.get(parentId);
  while (above !== undefined && !objects.canSee(above)) above = groups.get(above.parentId);
  return {
    ...{ id, 'parent-id': above?.id ?? 0, name: row.name, 'is-inherit': row.isInherited ? 1 : 0 },
    ...{ 'group-mask': row.groupMask, 'usr-mask': row.userMask },
    ...{ 'create-time': row.createdAt, revision: row.revision },
  };
}

function viewNone({ inventory, db }: DeviceContext): DeviceGroup {
  const { groupMask, userMask } = inventory.masks();
  return {
    ...{ id: 0, 'parent-id': 0, name: '', 'is-inherit': 0, 'group-mask': groupMask, 'usr-mask': userMask },
    ...{ 'create-time': 0, revision: revisionOf(db, globalEdit) },
  };
}
