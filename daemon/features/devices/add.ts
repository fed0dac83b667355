/** New devices: those that an administrator adds by their addresses, and those whose agents apply. */
import { families, familyOfProduct } from '../../contract/device-catalog.ts';
import { DeviceIdentity } from '../../contract/device-facts.ts';
import { DeviceSn, defaultOscPort } from '../../contract/device-fields.ts';
import { deviceProblems } from '../../contract/device-problems.ts';
import { regStates } from '../../contract/device-states.ts';
import type { Added, deviceApi, NewDevice } from '../../contract/devices.ts';
import type { BodyOf } from '../../contract/endpoint.ts';
import { limits } from '../../contract/limits.ts';
import type { OperationChange } from '../../contract/logs.ts';
import { results } from '../../contract/result.ts';
import type { Identified } from '../../devices/ports.ts';
import { publicAddress } from '../../devices/units.ts';
import type { CallerAccess } from '../../http/object-access.ts';
import type { Actor } from '../../http/route.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import { isNoSpace, noSpaceError } from '../../lib/no-space.ts';
import { tooMany } from '../../lib/refusals.ts';
import { createSemaphore } from '../../lib/semaphore.ts';
import { hostOf, readStreamEntry, type StreamOfDevice, shownSource } from '../../sources/stream-device.ts';
import { type Queries, transaction } from '../../store/database.ts';
import { deviceRows } from '../../store/rows.ts';
import type { DeviceClashes } from './clashes.ts';
import { eventTexts } from './events.ts';
import { oscAddress, oscName, oscSerial, refuseLogin } from './osc-rows.ts';
import { refusalOf } from './problem-result.ts';
import { newPushKey } from './push-key.ts';
import { checkAddress, type DeviceContext, visibleGroup } from './service.ts';
import { type DeviceRow, deviceBySn, deviceEdit, everyone } from './store.ts';
import { serialOf, streamColumns, streamDevice } from './stream-rows.ts';

/** What an agent states about its device. */
export interface Applicant {
  readonly identity: DeviceIdentity;
  /** Family that the agent states; undefined: by the product id. */
  readonly module?: number;
  /** Public key of the agent. */
  readonly agentKey: string;
  /** With which the hub signs in to the device; only the agent changes them. */
  readonly user: string;
  readonly password: string;
}

type NewRow = Omit<DeviceRow, 'id' | 'revision'>;

/** What was entered of a device that cannot be asked what it is. */
type Described = Identified & { readonly stream?: StreamOfDevice; readonly oscPort?: number | null };

export type DeviceAdder = ReturnType<typeof createDeviceAdder>;

export function createDeviceAdder(context: DeviceContext, clashes: Pick<DeviceClashes, 'raise'>) {
  const { db, audit, license, now, secrets, ports } = context;
  const inTurn = createSemaphore({ atOnce: limits.addedDevices.atOnce, longestLine: limits.addedDevices.perCall });

  const sealed = (password = '') => (password === '' ? null : secrets.seal(password));

  const store = (actor: Actor, objects: CallerAccess, device: NewDevice, described: Described): string => {
    const { stream, oscPort = null, ...found } = described;
    const { identity, api, pin = device.pin ?? '', address = device.address.trim() } = found;
    const module = moduleOf(identity);
    checkIdentity(identity);
    const { sn } = identity;
    const groupId = visibleGroup(context, objects, device['catalog-id'] ?? 0)?.id ?? null;
    const { user = '', password } = device;
    const way = {
      link: 'direct' as const,
      ...{ api, address, user, pin: pin.toLowerCase(), agentKey: '', oscPort },
      password: sealed(stream === undefined ? password : ''),
      ...(stream ? streamColumns(secrets, stream) : { stream: null }),
    };
    const name = device.name ?? nameOf(identity);
    const present = context.inventory.devices().get(sn)?.row;
    const isDescribed = stream !== undefined || oscPort !== null;
    const isElsewhere = present?.link !== way.link || present.address !== way.address;
    if (present?.regState === regStates.accepted && isElsewhere && !isDescribed) {
      const { link, pin: certificate, password: own } = way;
      const stated = { name: identity.name, model: identity.model, api };
      clashes.raise(present, { ...stated, link, mark: address, address, user, password: own, pin: certificate });
    }
    transaction<void>(db, (tx) =>
      license.within(tx, () => {
        const known = deviceBySn(tx, sn);
        if (known?.regState === regStates.accepted) throw exists(objects, known);
        const state = { regState: regStates.accepted, appliedAt: now(), name, groupId, ...way };
        if (known) deviceRows.update(tx, known.id, { ...ofIdentity(identity), module, ...state });
        const id = known?.id ?? insert(tx, { ...newRow(identity, module), ...state });
        const changes: OperationChange[] = [
          { word: 'serialNumber', value: sn },
          { word: 'firstAddress', value: way.address },
        ];
        audit.record(tx, actor, { action: 'device.add', subject: name, changes, edited: [deviceEdit(id)] });
      }),
    );
    context.onStored([sn]);
    return sn;
  };

  /** Names the device only to those who see it. */
  const exists = (objects: CallerAccess, { sn, name }: DeviceRow): HubError => {
    const own = context.inventory.devices().get(sn);
    const isSeen = own !== undefined && objects.canSee(own);
    const what = isSeen ? name : sn;
    return new HubError('objectExists', `the device ${sn} exists already${isSeen ? `, as '${name}'` : ''}`, {
      params: { what },
    });
  };
  const addOne = async (actor: Actor, objects: CallerAccess, device: NewDevice): Promise<Added> => {
    const { address } = device;
    // Refuses an unknown group before the device is asked; it may be deleted meanwhile.
    visibleGroup(context, objects, device['catalog-id'] ?? 0);
    const { driver, user = '', password = '', snapshot } = device;
    try {
      if (driver === 'stream') {
        const stream = readStreamEntry({ address, user, password, snapshot });
        const found = await identifyStream(stream, device.name);
        return { address: shownSource(stream.source, false), sn: store(actor, objects, device, found), result: 0 };
      }
      if (snapshot !== undefined) throw fieldError('snapshot', 'unsupported', 'only available for streams');
      checkAddress(address);
      if (driver === 'v1') {
        refuseLogin(device);
        return { address, sn: store(actor, objects, device, await identifyOsc(device)), result: 0 };
      }
      if (device['osc-port'] !== undefined)
        throw fieldError('osc-port', 'unsupported', 'only available for devices of the driver v1');
      const credentials = { user, password };
      const pin = device.pin?.toLowerCase() || undefined;
      const found = await inTurn(() => ports.identify(address.trim(), credentials, pin));
      return { address, sn: store(actor, objects, device, found), result: 0 };
    } catch (error) {
      throw refusalOf(error, driver === 'stream' ? 'the stream' : address);
    }
  };
  const identifyStream = async (stream: StreamOfDevice, given: string | undefined) => {
    const sn = serialOf(secrets, stream);
    const name = given ?? hostOf(stream.source);
    const device = ports.streamOf(streamDevice({ sn, name }, stream), 0);
    return { ...(await inTurn(() => ports.identifyStream(device))), stream };
  };
  const identifyOsc = async (device: NewDevice) => {
    const address = oscAddress(device.address);
    const { name = oscName(address), pin, 'osc-port': oscPort = defaultOscPort } = device;
    const osc = ports.oscOf({ sn: oscSerial(secrets, address), name }, address, oscPort);
    return { ...(await inTurn(() => ports.identifyOsc(osc, address, pin?.toLowerCase() || undefined))), oscPort };
  };
  const resultOf = async (adding: Promise<Added>, device: NewDevice): Promise<Added> => {
    // The URL of a stream may have a password.
    const address = device.driver === 'stream' ? (publicAddress(device.address) ?? '') : device.address;
    try {
      return await adding;
    } catch (thrown) {
      const error = isNoSpace(thrown) ? noSpaceError() : thrown;
      if (!(error instanceof HubError)) {
        // The others of the list have results of their own.
        context.log.error('adding a device failed', { peer: address, error: String(error) });
        return { address, result: results.unknownError.code, message: 'internal error; see the log of the hub' };
      }
      const { problem: word, pin } = error.params ?? {};
      const problem = deviceProblems.find((one) => one === word);
      return {
        ...{ address, result: results[error.result].code, message: error.message },
        ...(problem !== undefined && { problem }),
        ...(typeof pin === 'string' && { pin }),
      };
    }
  };

  const followLogin = (row: DeviceRow, user: string, password: string): void => {
    const before = row.password === null ? '' : secrets.open(row.password);
    if (row.user === user && before === password) return;
    transaction<void>(db, (tx) => deviceRows.update(tx, row.id, { user, password: sealed(password) }));
    context.onStored([row.sn]);
  };

  return {
    /** Returns the result of each device; a refusal of the only one is thrown. */
    async add(actor: Actor, objects: CallerAccess, body: BodyOf<typeof deviceApi.add>): Promise<{ list: Added[] }> {
      const { list, address } = body;
      if (address === undefined) {
        const all = (list ?? []).map((device) => resultOf(addOne(actor, objects, device), device));
        return { list: await Promise.all(all) };
      }
      return { list: [await addOne(actor, objects, { ...body, address })] };
    },
    /**
     * Notes that the agent of a device has applied, and returns the registration state of the device. Throws `tooMany`
     * if there are as many devices as possible, and `verifyFailed` if the device is known without this agent.
     */
    apply(applicant: Applicant): number {
      const { identity, agentKey, user, password } = applicant;
      checkIdentity(identity);
      const { sn } = identity;
      const known = context.inventory.devices().get(sn)?.row;
      if (known !== undefined) {
        if (known.agentKey === agentKey) {
          followLogin(known, user, password);
          return known.regState;
        }
        throw new HubError('verifyFailed', `${sn} is already registered through another agent or by its address`);
      }
      transaction<void>(db, (tx) => {
        const row = newRow(identity, applicant.module ?? moduleOf(identity));
        insert(tx, { ...row, agentKey, appliedAt: now(), user, password: sealed(password) });
      });
      context.log.info(eventTexts.applied, { peer: sn, device: identity.name });
      context.onStored([sn]);
      return regStates.pending;
    },
    /** Notes that an agent has applied whose device is already registered through another agent or by its address. */
    clash({ identity, agentKey, user, password }: Applicant, remote: string): void {
      const known = context.inventory.devices().get(identity.sn)?.row;
      if (known === undefined) return;
      const stated = { name: identity.name, model: identity.model, api: identity.api };
      const way = { link: 'agent', mark: agentKey, address: remote, pin: '' } as const;
      clashes.raise(known, { ...stated, ...way, user, password: sealed(password) });
    },
    /** Whether the device states something else about itself than what is stored. */
    isOther(identity: DeviceIdentity): boolean {
      const row = context.inventory.devices().get(identity.sn)?.row;
      return row !== undefined && difference(row, identity) !== undefined;
    },
    /** Stores what devices state about themselves, which changes with new firmware and when they are renamed. */
    follow(identities: readonly DeviceIdentity[]): void {
      const devices = context.inventory.devices();
      const changed = identities.flatMap((identity) => {
        const row = devices.get(identity.sn)?.row;
        const change = row && difference(row, identity);
        return row && change ? [{ row, change }] : [];
      });
      if (changed.length === 0) return;
      transaction<void>(db, (tx) => {
        for (const { row, change } of changed) deviceRows.update(tx, row.id, change);
      });
      context.onStored(changed.map(({ row }) => row.sn));
      if (changed.some(({ change }) => change.name !== undefined)) context.channels.applyDesired();
    },
  };
}

/** Serial numbers are parts of paths, of lists with commas, and of picture ids, which are lines of headers. */
const usableSn = /^[A-Za-z0-9][\w.-]*$/;

/** Throws `invalidData` for an identity that the hub cannot store. */
function checkIdentity(identity: DeviceIdentity): void {
  const { sn } = identity;
  if (DeviceIdentity.safeParse(identity).success && DeviceSn.safeParse(sn).success && usableSn.test(sn)) return;
  throw new HubError('invalidData', 'the device reports no valid serial number', {
    params: { problem: 'invalidAnswer' },
  });
}

/** Families that state no product id are of other makes, but for those whose API only one family has. */
const moduleOf = ({ api, 'product-id': productId }: DeviceIdentity): number =>
  api === 'v1'
    ? families.director
    : api === 'onvif' || api === 'stream'
      ? families.thirdParty
      : families[familyOfProduct(productId)];

const ofIdentity = (identity: DeviceIdentity) => ({
  ownName: identity.name,
  productId: identity['product-id'],
  model: identity.model,
  hardwareVersion: identity['hardware-ver'],
  firmwareVersion: identity['firmware-ver'],
});

/** A device that waits for approval and has an agent. */
function newRow(identity: DeviceIdentity, module: number): NewRow {
  return {
    ...ofIdentity(identity),
    ...{ sn: identity.sn, name: nameOf(identity), module, api: identity.api },
    ...{ regState: regStates.pending, appliedAt: 0, groupId: null },
    ...{ isInherited: true, groupMask: everyone, userMask: everyone, favorites: 0 },
    ...{ connection: null, pushKey: newPushKey(identity.sn), playsChannelId: null, told: null },
    link: 'agent',
    ...{ address: '', user: '', password: null, pin: '', agentKey: '', stream: null, oscPort: null, pulled: null },
  };
}

/** A device may have no name, or a longer one than the hub allows, of which half a character is not cut off. */
const nameOf = ({ name, sn }: DeviceIdentity): string =>
  name
    .trim()
    .slice(0, limits.name.max)
    .replace(/\p{Cs}$/u, '')
    .trim() || sn;

/** Returns undefined if the device states the same as before. */
function difference(row: DeviceRow, identity: DeviceIdentity): Partial<DeviceRow> | undefined {
  const stated = ofIdentity(identity);
  const names = Object.keys(stated) as (keyof typeof stated)[];
  if (names.every((name) => stated[name] === row[name])) return undefined;
  // A name that was given on the device replaces the one on the hub.
  return { ...stated, ...(stated.ownName !== row.ownName && { name: nameOf(identity) }) };
}

function insert(tx: Queries, row: NewRow): number {
  if (deviceRows.count(tx) >= limits.devices) throw tooMany('devices', limits.devices);
  return deviceRows.insert(tx, row);
}
