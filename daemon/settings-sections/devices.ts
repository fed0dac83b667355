/** Groups of devices, and devices with their addresses, passwords and visibility. */
import { randomUUID } from 'node:crypto';
import { and, eq, isNull, type SQL } from 'drizzle-orm';
import * as z from 'zod/mini';
import { deviceApis } from '../contract/device-catalog.ts';
import {
  DeviceAddress,
  DeviceConnection,
  DeviceGroupName,
  DeviceName,
  DevicePin,
  DeviceSn,
} from '../contract/device-fields.ts';
import { regStates } from '../contract/device-states.ts';
import { limits } from '../contract/limits.ts';
import { Port, StreamKey } from '../contract/rules.ts';
import { detachDevices, deviceBySn, everyone, readGlobal, writeGlobal } from '../features/devices/store.ts';
import type { Masks } from '../http/object-access.ts';
import { fieldError } from '../lib/hub-error.ts';
import { type StreamOfDevice, shownSource } from '../sources/stream-device.ts';
import type { Queries } from '../store/database.ts';
import { channelRows, deviceGroupRows, deviceRows } from '../store/rows.ts';
import { channels, deviceGroups, devices, userGroups, users } from '../store/schema.ts';
import { openStream, sealStream } from '../store/stored-address.ts';
import { refer } from './rows-by-name.ts';
import { defineSection, type SectionContext } from './section.ts';

const Names = z.array(z.string().check(z.maxLength(64, 'tooLong'))).check(z.maxLength(64, 'tooMany'));
/** Who sees it: `all`, or names. Administrators always do. */
const Visible = z.strictObject({
  inherited: z.boolean(),
  groups: z.union([z.literal('all'), Names]),
  users: z.union([z.literal('all'), Names]),
});
type Visible = z.infer<typeof Visible>;

/** Names from the top of the tree down. */
const GroupPath = z.array(DeviceGroupName).check(z.maxLength(limits.deviceGroups.depth, 'tooLong'));

const GroupItem = z.strictObject({ path: GroupPath.check(z.minLength(1, 'required')), visible: Visible });
type GroupItem = z.infer<typeof GroupItem>;

const text = z.string().check(z.maxLength(256, 'tooLong'), z.regex(/^[^\p{Cc}]*$/u, 'characters'));
const registration = Object.keys(regStates) as [keyof typeof regStates, ...(keyof typeof regStates)[]];

const DeviceItem = z.strictObject({
  sn: DeviceSn,
  name: DeviceName,
  /** The name that the device stated last. */
  'own-name': text,
  state: z.enum(registration, 'choice'),
  /** When it applied or was approved, in milliseconds since 1970. */
  since: z.int('number').check(z.gte(0, 'range')),
  group: z.optional(GroupPath),
  module: z.int('number'),
  'product-id': z.int('number'),
  model: text,
  hardware: text,
  firmware: text,
  link: z.enum(['direct', 'agent'], 'choice'),
  api: z.enum(deviceApis, 'choice'),
  /** Absent for a device with an agent, and for one that is a stream, whose address is secret. */
  address: z.optional(DeviceAddress),
  user: z.optional(text),
  pin: z.optional(DevicePin),
  'agent-key': z.optional(text),
  'osc-port': z.optional(Port),
  connection: z.optional(DeviceConnection),
  visible: Visible,
  /** Names of the users whose favorite it is. */
  favorites: z.optional(Names),
  /** Name of the channel that it plays. */
  plays: z.optional(z.string()),
});
type DeviceItem = z.infer<typeof DeviceItem>;

const Secret = z.object({
  'push-key': z.optional(StreamKey),
  password: z.optional(text),
  stream: z.optional(z.looseObject({ snapshot: z.string() })),
});

const AllItem = z.strictObject({
  groups: Visible.shape.groups,
  users: Visible.shape.users,
  connection: DeviceConnection,
});
type AllItem = z.infer<typeof AllItem>;

export function deviceSections({ secrets, now }: SectionContext) {
  const opened = (sealed: string | null): string | undefined => {
    try {
      return sealed === null ? undefined : secrets.open(sealed);
    } catch {
      return undefined;
    }
  };
  const secretOf = (secret: unknown) => {
    const checked = Secret.safeParse(secret);
    if (!checked.success) throw fieldError('push-key', 'format', 'the secrets of the device are not readable');
    const { stream, ...rest } = checked.data;
    if (stream !== undefined) readable(stream as unknown as StreamOfDevice);
    return { ...rest, stream: stream as unknown as StreamOfDevice | undefined };
  };
  return [
    defineSection<AllItem>({
      ...{ name: 'all-devices', limit: 1, schema: AllItem, keyOf: () => 'all devices' },
      read(db) {
        const { masks, connection } = readGlobal(db);
        return [{ value: { ...names(db, masks), connection }, secret: {} }];
      },
      put: () => {},
      link: (tx, { value }) => writeGlobal(tx, { masks: masksOf(tx, value), connection: value.connection }),
      edited: () => ({ noun: 'settings', id: 'devices' }),
    }),
    defineSection<GroupItem>({
      ...{
        name: 'device-groups',
        limit: limits.deviceGroups.count,
        schema: GroupItem,
        keyOf: ({ path }) => path.join(' / '),
      },
      read(db) {
        const paths = groupPaths(db);
        return deviceGroupRows
          .list(db)
          .map((row) => ({
            value: { path: paths.get(row.id) ?? [], visible: { inherited: row.isInherited, ...names(db, row) } },
            secret: {},
          }))
          .toSorted((a, b) => a.value.path.length - b.value.path.length);
      },
      put(tx, { value: { path } }) {
        if (groupId(tx, path) !== undefined) return;
        const parentId = path.length === 1 ? null : groupId(tx, path.slice(0, -1));
        if (parentId === undefined)
          throw fieldError('path', 'notExist', `the group above ${path.join(' / ')} is missing`);
        const unset = { isInherited: true, groupMask: everyone, userMask: everyone };
        deviceGroupRows.insert(tx, { parentId, name: path.at(-1) ?? '', ...unset, createdAt: now() });
      },
      link(tx, { value: { path, visible } }) {
        const masks = { isInherited: visible.inherited, ...masksOf(tx, visible) };
        deviceGroupRows.update(tx, groupId(tx, path) ?? 0, masks);
      },
      remove(tx, key) {
        const id = groupId(tx, key.split(' / '));
        if (id === undefined) return;
        // What is in it moves to the group above, as when a user deletes it.
        const above = deviceGroupRows.find(tx, id)?.parentId ?? null;
        tx.update(deviceGroups).set({ parentId: above }).where(eq(deviceGroups.parentId, id)).run();
        tx.update(devices).set({ groupId: above }).where(eq(devices.groupId, id)).run();
        deviceGroupRows.delete(tx, [id]);
      },
      edited: (db, key) => ({ noun: 'deviceGroup', id: groupId(db, key.split(' / ')) ?? 0 }),
    }),
    defineSection<DeviceItem>({
      ...{ name: 'devices', limit: limits.devices, schema: DeviceItem, keyOf: ({ sn }) => sn },
      read(db) {
        const paths = groupPaths(db);
        const channelNames = new Map(channelRows.list(db).map(({ id, name }) => [id, name]));
        const people = db.select({ id: users.id, name: users.name }).from(users).all();
        const visibility = visibilityOf(db);
        return deviceRows.list(db).map((row) => {
          const [group, plays] = [paths.get(row.groupId ?? 0), channelNames.get(row.playsChannelId ?? 0)];
          const favorites = people.filter(({ id }) => (row.favorites & id) !== 0).map(({ name }) => name);
          const [password, stream] = [opened(row.password), openStream(secrets, row.stream)];
          const value: DeviceItem = {
            ...{ sn: row.sn, name: row.name, 'own-name': row.ownName },
            ...{
              state: registration.find((name) => regStates[name] === row.regState) ?? 'pending',
              since: row.appliedAt,
            },
            ...(group && { group }),
            ...{ module: row.module, 'product-id': row.productId, model: row.model },
            ...{ hardware: row.hardwareVersion, firmware: row.firmwareVersion, link: row.link, api: row.api },
            ...(row.address !== '' && { address: row.address }),
            ...(row.user !== '' && { user: row.user }),
            ...(row.pin !== '' && { pin: row.pin }),
            ...(row.agentKey !== '' && { 'agent-key': row.agentKey }),
            ...(row.oscPort !== null && { 'osc-port': row.oscPort }),
            ...(row.connection && { connection: row.connection }),
            visible: { inherited: row.isInherited, ...visibility(row) },
            ...(favorites.length > 0 && { favorites }),
            ...(plays !== undefined && { plays }),
          };
          const secret = {
            'push-key': row.pushKey,
            ...(password !== undefined && { password }),
            ...(stream && { stream }),
          };
          return { value, secret };
        });
      },
      check: ({ secret }) => void secretOf(secret),
      /** Without its password, a device says so, and without its address, a stream has none. */
      lost: () => ({ 'push-key': randomUUID().replaceAll('-', '') }),
      keepsSecret: (before, next) => before.address === next.address && before.api === next.api,
      put(tx, { value, secret }) {
        const { password, stream, 'push-key': pushKey = randomUUID().replaceAll('-', '') } = secretOf(secret);
        const known = deviceBySn(tx, value.sn);
        const row = {
          ...{ sn: value.sn, name: value.name, ownName: value['own-name'], regState: regStates[value.state] },
          ...{ appliedAt: value.since, module: value.module, productId: value['product-id'], model: value.model },
          ...{ hardwareVersion: value.hardware, firmwareVersion: value.firmware, link: value.link, api: value.api },
          ...{ address: value.address ?? '', user: value.user ?? '', pin: value.pin ?? '' },
          ...{ agentKey: value['agent-key'] ?? '', oscPort: value['osc-port'] ?? null },
          ...{ connection: value.connection ?? null, pushKey, told: null },
          password: password === undefined || password === '' ? null : secrets.seal(password),
          stream: stream === undefined ? null : sealStream(secrets, stream),
        };
        if (known) deviceRows.update(tx, known.id, row);
        else {
          const unset = { isInherited: true, groupMask: everyone, userMask: everyone };
          deviceRows.insert(tx, { ...row, ...unset });
        }
      },
      link(tx, { value: { sn, group, visible, favorites = [], plays } }) {
        const id = deviceBySn(tx, sn)?.id ?? 0;
        const inGroup = group === undefined ? null : groupId(tx, group);
        if (inGroup === undefined) throw fieldError('group', 'notExist', `there is no group ${group?.join(' / ')}`);
        deviceRows.update(tx, id, {
          ...{ groupId: inGroup, isInherited: visible.inherited, ...masksOf(tx, visible) },
          favorites: maskOfNames(tx, users, favorites, 'favorites'),
          playsChannelId: refer(tx, channels, 'plays', plays),
        });
      },
      remove(tx, key) {
        const id = deviceBySn(tx, key)?.id;
        if (id === undefined) return;
        detachDevices(tx, [id]);
        deviceRows.delete(tx, [id]);
      },
      edited: (db, key) => ({ noun: 'device', id: deviceBySn(db, key)?.id ?? 0 }),
    }),
  ];
}

/** Throws for a stream that the hub could not open. */
function readable({ source }: StreamOfDevice): void {
  try {
    shownSource(source, true);
  } catch {
    throw fieldError('stream', 'format', 'the address of the stream is not readable');
  }
}

function groupPaths(db: Queries): Map<number, string[]> {
  const rows = new Map(deviceGroupRows.list(db).map((row) => [row.id, row]));
  const pathOf = (id: number): string[] => {
    const row = rows.get(id);
    return row === undefined ? [] : [...(row.parentId === null ? [] : pathOf(row.parentId)), row.name];
  };
  return new Map([...rows.keys()].map((id) => [id, pathOf(id)]));
}

function groupId(db: Queries, path: readonly string[]): number | undefined {
  let parent: number | null = null;
  for (const name of path) {
    const isHere: SQL = parent === null ? isNull(deviceGroups.parentId) : eq(deviceGroups.parentId, parent);
    const row: { id: number } | undefined = db
      .select({ id: deviceGroups.id })
      .from(deviceGroups)
      .where(and(isHere, eq(deviceGroups.name, name)))
      .get();
    if (row === undefined) return undefined;
    parent = row.id;
  }
  return parent ?? undefined;
}

/** Reads the names once: there may be thousands of devices. */
function visibilityOf(db: Queries): (masks: Masks) => Pick<Visible, 'groups' | 'users'> {
  const groups = db.select({ id: userGroups.id, name: userGroups.name }).from(userGroups).all();
  const people = db.select({ id: users.id, name: users.name }).from(users).all();
  const named = (mask: number, all: typeof groups) =>
    mask === everyone ? ('all' as const) : all.filter(({ id }) => (mask & id) !== 0).map(({ name }) => name);
  return ({ groupMask, userMask }) => ({ groups: named(groupMask, groups), users: named(userMask, people) });
}

function names(db: Queries, masks: Masks): Pick<Visible, 'groups' | 'users'> {
  return visibilityOf(db)(masks);
}

function masksOf(db: Queries, visible: Pick<Visible, 'groups' | 'users'>): Masks {
  const mask = (table: typeof userGroups | typeof users, list: 'all' | readonly string[], member: string) =>
    list === 'all' ? everyone : maskOfNames(db, table, list, member);
  return {
    groupMask: mask(userGroups, visible.groups, 'visible.groups'),
    userMask: mask(users, visible.users, 'visible.users'),
  };
}

/** Throws for a user whom the hub does not have: another user could get that name later. */
function maskOfNames(
  db: Queries,
  table: typeof userGroups | typeof users,
  list: readonly string[],
  member: string,
): number {
  if (list.length === 0) return 0;
  const rows = db.select({ id: table.id, name: table.name }).from(table).all();
  return list.reduce((mask, name) => {
    const row = rows.find((one) => one.name === name);
    if (row === undefined) throw fieldError(member, 'notExist', `there is no '${name}'`);
    return (mask | row.id) >>> 0;
  }, 0);
}
