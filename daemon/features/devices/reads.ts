/** Reads devices: what is stored, joined with what they reported last. */

import { regStates } from '../../contract/device-states.ts';
import type { Device, deviceApi } from '../../contract/devices.ts';
import type { QueryOf } from '../../contract/endpoint.ts';
import { limits } from '../../contract/limits.ts';
import { historyStepMs, historySteps } from '../../devices/history.ts';
import type { DeviceHistory } from '../../devices/report.ts';
import { isGranted } from '../../http/access.ts';
import type { CallerAccess } from '../../http/object-access.ts';
import type { Session } from '../../http/route.ts';
import { windowOf } from '../../lib/list-page.ts';
import { hasSecret, shownSnapshot, shownSource } from '../../sources/stream-device.ts';
import { openStream } from '../../store/stored-address.ts';
import { eventOf } from './events.ts';
import type { DeviceGroups } from './groups.ts';
import type { OwnDevice } from './inventory.ts';
import { type DeviceListQuery, inGroupOrder, selectDevices } from './list.ts';
import type { DevicePictures } from './pictures.ts';
import { unknownDevice } from './problem-result.ts';
import { type DeviceContext, visibleDevice } from './service.ts';
import type { DeviceRow } from './store.ts';
import { type Owners, shownSteps, viewDevice, withHistory, withoutPushKey } from './view.ts';

export type DeviceReads = ReturnType<typeof createDeviceReads>;

export function createDeviceReads(
  context: DeviceContext,
  groups: DeviceGroups,
  pictureProblemOf: DevicePictures['problemOf'],
) {
  const { inventory, reports, channels } = context;
  /** Channels by the device that they have to do with. */
  const ownersOf = () => {
    const configured = channels.configured();
    const publishers = new Map(configured.flatMap((channel) => (channel.device ? [[channel.device.id, channel]] : [])));
    const byId = new Map(configured.map((channel) => [channel.id, channel]));
    return ({ row }: OwnDevice): Owners => {
      const [input, output] = [publishers.get(row.id), byId.get(row.playsChannelId ?? 0)];
      return { input: input ? [input] : [], output: output ? [output] : [] };
    };
  };
  const view = (device: OwnDevice, owners = ownersOf()): Device =>
    viewDevice(
      device,
      {
        ...reports.of(device),
        ...{ pictureProblem: pictureProblemOf(device.row.sn), upgrade: context.upgradeOf(device.row.sn) },
      },
      owners(device),
    );
  /** As the caller may see them, with their recent figures. */
  const shown = (session: Session, devices: readonly OwnDevice[]): Device[] => {
    const owners = ownersOf();
    const mayEdit = isGranted(session, 'deviceAdvanced');
    return devices.map((device) => {
      const whole = withHistory(view(device, owners), reports.history(device.row.sn, shownSteps));
      return mayEdit ? whole : withoutPushKey(whole);
    });
  };
  const globalConfig = (isAsked: number | undefined) =>
    isAsked ? { 'global-config': inventory.global().connection } : {};
  const seen = (objects: CallerAccess) => [...inventory.devices().values()].filter(objects.canSee);

  return {
    view,
    /** Which channels have to do with devices, as a text that changes when that does. */
    ownersNote: (): Map<number, string> =>
      new Map(
        channels
          .configured()
          .flatMap(({ id, name, device }) => [
            [id, name] as const,
            ...(device ? [[device.id, `${id} ${name}`] as const] : []),
          ]),
      ),
    list(session: Session, objects: CallerAccess, query: DeviceListQuery) {
      const found = selectDevices(seen(objects), query, {
        ...{ reportOf: reports.of, userId: session.user.id, nameRanks: inventory.nameRanks },
        publisherOf: (channel) => channels.configured().find(({ id }) => id === channel)?.device?.id,
        groupName(id) {
          const group = inventory.groups().get(id);
          return group !== undefined && isGranted(session, 'groupView') && objects.canSee(group)
            ? group.row.name
            : undefined;
        },
      });
      const page = windowOf(found, query.start, query.count ?? found.length);
      return {
        ...{ start: page.start, total: found.length, list: shown(session, page.list) },
        ...globalConfig(query['global-config']),
      };
    },
    listOf(session: Session, objects: CallerAccess, sns: readonly string[]) {
      const devices = inventory.devices();
      const found = [...new Set(sns)].flatMap((sn) => devices.get(sn) ?? []).filter(objects.canSee);
      return { start: 0, total: found.length, list: shown(session, found), ...globalConfig(1) };
    },
    query(session: Session, objects: CallerAccess, query: QueryOf<typeof deviceApi.query>) {
      const own = visibleDevice(context, objects, query.sn);
      const { row } = own;
      reports.look(row.sn);
      const { facts, problem } = reports.of(own);
      const [device] = shown(session, [own]);
      if (device === undefined) throw unknownDevice();
      const dev = {
        ...device,
        ...{ user: row.user, pin: row.pin, ...shownWay(context.secrets, row, isGranted(session, 'deviceAdvanced')) },
        ...(problem && { 'problem-text': problem.message }),
        ...(facts && { facts }),
        ...(query.history && { history: historyOf(reports.history(row.sn, historySteps), context.now()) }),
      };
      return { dev, ...globalConfig(query['global-config']) };
    },
    log(objects: CallerAccess, { sn, before, count = limits.page.default }: QueryOf<typeof deviceApi.log>) {
      visibleDevice(context, objects, sn);
      const found = context.linesAbout({ peer: sn, before, count: count + 1 });
      const list = found.slice(0, count);
      return { list: list.map(eventOf), next: found.length > count ? (list.at(-1)?.id ?? 0) : 0 };
    },
    listWithGroups(session: Session, objects: CallerAccess, query: QueryOf<typeof deviceApi.listWithGroups>) {
      const wanted = query.catalogs === undefined ? undefined : new Set(query.catalogs.split(',').map(Number));
      // Without the permission to see groups, all devices are in none.
      const known = isGranted(session, 'groupView') ? groups.inOrder(objects) : groups.none();
      const all = known.filter(({ id }) => wanted?.has(id) ?? true);
      const page = windowOf(all, query.start, query.count ?? all.length);
      const accepted = seen(objects).filter(({ row }) => row.regState === regStates.accepted);
      const visible = new Set(known.map(({ id }) => id));
      // The group of a device may be invisible to someone who sees the device.
      const byGroup = Map.groupBy(accepted, ({ groupId }) => (visible.has(groupId) ? groupId : 0));
      const list = page.list.map((group) => {
        const devices = inGroupOrder(byGroup.get(group.id) ?? [], reports.of);
        const window = windowOf(devices, query['dev-start'], query['dev-count'] ?? devices.length);
        return { ...group, 'dev-total': devices.length, list: shown(session, window.list) };
      });
      return { start: page.start, total: all.length, list, ...globalConfig(query['global-config']) };
    },
  };
}

/** Where the hub reaches a device: what of it the caller may see. */
function shownWay(secrets: DeviceContext['secrets'], row: DeviceRow, mayEdit: boolean) {
  const stream = openStream(secrets, row.stream);
  if (stream === undefined) {
    const osc = row.oscPort === null ? {} : { driver: 'v1' as const, 'osc-port': row.oscPort };
    return { address: row.address, 'password-set': row.password !== null, ...osc };
  }
  const { source, snapshot } = stream;
  return {
    driver: 'stream' as const,
    ...{ address: shownSource(source, mayEdit), 'password-set': hasSecret(source) },
    ...(snapshot !== '' && { snapshot: shownSnapshot(snapshot, mayEdit) }),
  };
}

/** In the form of the API. */
function historyOf(history: DeviceHistory | undefined, now: number) {
  const { end = now, cpu = [], temperature = [], rxKbps = [], txKbps = [], streamKbps = [] } = history ?? {};
  return {
    ...{ 'step-s': historyStepMs / 1000, end, cpu: [...cpu], temperature: [...temperature] },
    ...{ 'rx-kbps': [...rxKbps], 'tx-kbps': [...txKbps], 'stream-kbps': [...streamKbps] },
  };
}
