/** The stored devices and groups in memory: lists, topics and visibility look at all of them. */
import { regStates } from '../../contract/device-states.ts';
import type { Masks, Security } from '../../http/object-access.ts';
import { byName } from '../../lib/list-page.ts';
import type { Queries } from '../../store/database.ts';
import { deviceGroupRows, deviceRows } from '../../store/rows.ts';
import { type DeviceGroupRow, type DeviceRow, devicesOf, everyone, type GlobalDevices, readGlobal } from './store.ts';

/** A device, and what decides who may see it. */
export interface OwnDevice {
  readonly row: DeviceRow;
  readonly security: Security;
  /** 0: none. */
  readonly groupId: number;
}

export interface OwnGroup {
  readonly id: number;
  readonly row: DeviceGroupRow;
  readonly security: Security;
  /** 0: top level. */
  readonly parentId: number;
  /** The same: what the group inherits from. */
  readonly groupId: number;
}

const inherited: Security = { isInherited: true, groupMask: everyone, userMask: everyone };

const securityOf = ({ isInherited, groupMask, userMask }: Security): Security => ({ isInherited, groupMask, userMask });

/** Devices that are not accepted are seen by those whom the hub as a whole allows. */
function ownDevice(row: DeviceRow): OwnDevice {
  if (row.regState !== regStates.accepted) return { row, security: inherited, groupId: 0 };
  return { row, security: securityOf(row), groupId: row.groupId ?? 0 };
}

export type Inventory = ReturnType<typeof createInventory>;

export function createInventory(db: Queries, deviceLimit: () => number) {
  let devices = new Map<string, OwnDevice>();
  let groups: ReadonlyMap<number, OwnGroup> = new Map();
  let global: GlobalDevices;
  let overLicense: ReadonlySet<string> = new Set();
  let ranks: ReadonlyMap<OwnDevice, number> | undefined;

  const put = (rows: readonly DeviceRow[]) => {
    for (const row of rows) devices.set(row.sn, ownDevice(row));
  };
  /** Those that were approved last are the ones beyond a license that has become smaller. */
  const findOver = () => {
    const accepted = [...devices.values()].filter(({ row }) => row.regState === regStates.accepted);
    const limit = deviceLimit();
    if (accepted.length <= limit) return new Set<string>();
    const inOrder = accepted.toSorted((a, b) => a.row.appliedAt - b.row.appliedAt || a.row.id - b.row.id);
    return new Set(inOrder.slice(limit).map(({ row }) => row.sn));
  };
  const reload = (sns?: readonly string[]): void => {
    if (sns === undefined) {
      devices = new Map();
      put(deviceRows.list(db));
    } else {
      const rows = devicesOf(db, sns);
      const found = new Set(rows.map(({ sn }) => sn));
      for (const sn of sns) if (!found.has(sn)) devices.delete(sn);
      put(rows);
    }
    overLicense = findOver();
    ranks = undefined;
  };
  const reloadGroups = (): void => {
    groups = new Map(
      deviceGroupRows.list(db).map((row) => {
        const parentId = row.parentId ?? 0;
        return [row.id, { id: row.id, row, security: securityOf(row), parentId, groupId: parentId }];
      }),
    );
    global = readGlobal(db);
  };
  reloadGroups();
  reload();

  return {
    /** By serial number, in order of creation. */
    devices: (): ReadonlyMap<string, OwnDevice> => devices,
    groups: (): ReadonlyMap<number, OwnGroup> => groups,
    global: (): GlobalDevices => global,
    masks: (): Masks => global.masks,
    /** Whether there are more accepted devices than the license allows, and this one is too many. */
    isOver: (sn: string): boolean => overLicense.has(sn),
    /** Places of all devices in the order of their names; finding them takes too long for each request. */
    nameRanks(): ReadonlyMap<OwnDevice, number> {
      ranks ??= new Map(
        [...devices.values()].sort((a, b) => byName(a.row.name, b.row.name)).map((device, rank) => [device, rank]),
      );
      return ranks;
    },
    /** Reads these devices again, or all of them. */
    reload,
    /** Reads groups and global settings again. */
    reloadGroups,
  };
}
