/**
 * Devices that state the serial number of a known one, with another key or at another address: they are kept for review,
 * and never attached by themselves.
 */
import { createHash } from 'node:crypto';
import { and, asc, count, desc, eq, inArray } from 'drizzle-orm';
import type { DeviceClash, deviceClashApi } from '../../contract/device-clashes.ts';
import type { BodyOf } from '../../contract/endpoint.ts';
import { limits } from '../../contract/limits.ts';
import type { OperationChange } from '../../contract/logs.ts';
import type { CallerAccess } from '../../http/object-access.ts';
import type { Actor } from '../../http/route.ts';
import { notExist } from '../../lib/refusals.ts';
import { type Queries, transaction } from '../../store/database.ts';
import { deviceClashes } from '../../store/schema.ts';
import type { OwnDevice } from './inventory.ts';
import type { DeviceContext } from './service.ts';
import { type DeviceRow, deviceEdit, updateDevices } from './store.ts';
import { createTries } from './tries.ts';

type ClashRow = typeof deviceClashes.$inferSelect;

/** The device that is not the known one. */
export type OtherDevice = Pick<
  ClashRow,
  'link' | 'mark' | 'address' | 'api' | 'name' | 'model' | 'user' | 'password' | 'pin'
>;

/** An attempt is stored at most once in this time. */
const againMs = 60_000;
/** New ones from agents, which anybody with the invitation code can run. */
const fromAgents = { maxTries: 10, withinMs: 60_000 };

export type DeviceClashes = ReturnType<typeof createDeviceClashes>;

/** `onChange`: called with the device whose number of clashes has changed. */
export function createDeviceClashes(context: DeviceContext, onChange: (sn: string) => void) {
  const { db, audit, now, log, inventory } = context;
  const tries = createTries({ ...fromAgents, now });

  const deviceOf = ({ deviceId }: ClashRow): OwnDevice | undefined =>
    [...inventory.devices().values()].find(({ row }) => row.id === deviceId);
  const remove = (tx: Queries, ids: readonly number[]) =>
    tx
      .delete(deviceClashes)
      .where(inArray(deviceClashes.id, [...ids]))
      .run();
  /** Makes room: those that were decided go first, then those that have not tried for the longest time. */
  const makeRoom = (tx: Queries, deviceId: number): void => {
    const all = tx
      .select({ id: deviceClashes.id, deviceId: deviceClashes.deviceId })
      .from(deviceClashes)
      .orderBy(desc(deviceClashes.kept), asc(deviceClashes.lastSeen), asc(deviceClashes.id))
      .all();
    const ofDevice = all.filter((one) => one.deviceId === deviceId);
    const { count: most, perDevice } = limits.deviceClashes;
    const [oldest] = ofDevice.length >= perDevice ? ofDevice : all.length >= most ? all : [];
    if (oldest !== undefined) remove(tx, [oldest.id]);
  };

  /** By id of the device; read again after a change. Those of deleted devices are gone with them. */
  let waiting: ReadonlyMap<number, number> | undefined;
  const countWaiting = () => {
    const rows = db
      .select({ id: deviceClashes.deviceId, count: count() })
      .from(deviceClashes)
      .where(eq(deviceClashes.kept, false))
      .groupBy(deviceClashes.deviceId)
      .all();
    return new Map(rows.map((row) => [row.id, row.count]));
  };
  const changed = (sn: string): void => {
    waiting = undefined;
    onChange(sn);
  };

  return {
    /** How many wait for review, of the devices that `canSee` allows. */
    countSeen(canSee: (device: OwnDevice) => boolean): number {
      waiting ??= countWaiting();
      if (waiting.size === 0) return 0;
      let sum = 0;
      for (const device of inventory.devices().values()) {
        const found = waiting.get(device.row.id);
        if (found !== undefined && canSee(device)) sum += found;
      }
      return sum;
    },
    /** Notes that another device states the serial number of this one. */
    raise(known: DeviceRow, other: OtherDevice): void {
      const ofMark = and(
        eq(deviceClashes.deviceId, known.id),
        eq(deviceClashes.link, other.link),
        eq(deviceClashes.mark, other.mark),
      );
      const before = db.select().from(deviceClashes).where(ofMark).get();
      if (before !== undefined && Math.abs(now() - before.lastSeen) < againMs) return;
      if (before === undefined && other.link === 'agent') {
        if (!tries.mayTry('')) return;
        tries.note('');
      }
      transaction<void>(db, (tx) => {
        if (before !== undefined) {
          const seen = { lastSeen: now(), count: before.count + 1 };
          tx.update(deviceClashes)
            .set({ ...other, ...seen })
            .where(eq(deviceClashes.id, before.id))
            .run();
          return;
        }
        makeRoom(tx, known.id);
        const seen = { firstSeen: now(), lastSeen: now(), count: 1 };
        tx.insert(deviceClashes)
          .values({ deviceId: known.id, ...other, ...seen })
          .run();
      });
      if (before?.kept === true) return;
      if (before === undefined) changed(known.sn);
      log.warn('another device, or another agent, states the serial number of a known device', {
        ...{ peer: known.sn, device: known.name, from: other.address },
      });
    },
    list(objects: CallerAccess): { list: DeviceClash[] } {
      const rows = db
        .select()
        .from(deviceClashes)
        .where(eq(deviceClashes.kept, false))
        .orderBy(desc(deviceClashes.lastSeen), desc(deviceClashes.id))
        .all();
      return {
        list: rows.flatMap((row) => {
          const own = deviceOf(row);
          return own !== undefined && objects.canSee(own) ? [viewClash(row, own, context)] : [];
        }),
      };
    },
    decide(actor: Actor, objects: CallerAccess, { id, choice }: BodyOf<typeof deviceClashApi.decide>): void {
      const row = db.select().from(deviceClashes).where(eq(deviceClashes.id, id)).get();
      const own = row && deviceOf(row);
      if (row === undefined || row.kept || own === undefined || !objects.canSee(own)) throw notExist('conflict', id);
      const { sn, name, link } = own.row;
      // The present one must not stay connected under the key that is no longer its own.
      if (choice === 'replace' && link === 'agent') context.setLinkState(sn, 'exists');
      transaction<void>(db, (tx) => {
        if (choice === 'keep') tx.update(deviceClashes).set({ kept: true }).where(eq(deviceClashes.id, id)).run();
        else remove(tx, [id]);
        if (choice === 'replace') updateDevices(tx, [own.row.id], wayOf(row));
        const changes: OperationChange[] = [{ word: 'address', value: row.address }];
        const edited = choice === 'replace' ? [deviceEdit(own.row.id)] : [];
        audit.record(tx, actor, { action: `device.${choice}Other`, subject: name, changes, edited });
      });
      changed(sn);
      if (choice === 'replace') context.onStored([sn]);
    },
  };
}

function wayOf({ link, mark, address, api, user, password, pin }: ClashRow): Partial<DeviceRow> {
  const isAgent = link === 'agent';
  return {
    ...{ link, api, user, password, pin },
    ...{ address: isAgent ? '' : address, agentKey: isAgent ? mark : '' },
    // It has not been told anything yet.
    told: null,
  };
}

const fingerprintOf = (link: ClashRow['link'], key: string, pin: string): string =>
  link === 'agent' ? createHash('sha256').update(key).digest('hex') : pin;

function viewClash(row: ClashRow, own: OwnDevice, { reports, now }: DeviceContext): DeviceClash {
  const present = own.row;
  const { connection, since } = reports.of(own);
  return {
    ...{ id: row.id, sn: present.sn, count: row.count },
    present: {
      ...{ link: present.link, address: present.address, name: present.name, model: present.model },
      fingerprint: fingerprintOf(present.link, present.agentKey, present.pin),
      'first-seen': present.appliedAt,
      'last-seen': connection === 'online' ? now() : connection === 'offline' ? since : 0,
    },
    other: {
      ...{ link: row.link, address: row.address, name: row.name, model: row.model },
      fingerprint: fingerprintOf(row.link, row.mark, row.pin),
      ...{ 'first-seen': row.firstSeen, 'last-seen': row.lastSeen },
    },
  };
}
