/** Filters, order and pages of the device lists. */
import { type DeviceStatusWord, regStates } from '../../contract/device-states.ts';
import type { deviceApi } from '../../contract/devices.ts';
import type { QueryOf } from '../../contract/endpoint.ts';
import { directions } from '../../contract/streams.ts';
import { fieldError } from '../../lib/hub-error.ts';
import type { Inventory, OwnDevice } from './inventory.ts';
import { isHubWarning, type Report } from './reports.ts';
import { directionOf, warnsOf } from './view.ts';

export type DeviceListQuery = QueryOf<typeof deviceApi.list>;
type ReportOf = (device: OwnDevice) => Report;
type NameRanks = Inventory['nameRanks'];

const states = {
  ...{ accepted: regStates.accepted, rejected: regStates.rejected, waiting: regStates.pending },
  any: undefined,
} as const;

interface SelectionFacts {
  readonly reportOf: ReportOf;
  readonly userId: number;
  readonly nameRanks: NameRanks;
  /** Undefined if there is no such group, or the caller may not see it. */
  readonly groupName: (id: number) => string | undefined;
  /** Id of the device that is the input of this channel. */
  readonly publisherOf: (channel: number) => number | undefined;
}

/** Returns the devices that match all filters, in the requested order. */
export function selectDevices(devices: Iterable<OwnDevice>, query: DeviceListQuery, by: SelectionFacts): OwnDevice[] {
  const { reportOf, nameRanks } = by;
  if (query.order !== undefined && query.sort === undefined) {
    throw fieldError('order', 'needsSort', 'order requires sort');
  }
  const tests = filtersOf(query, by);
  const found: OwnDevice[] = [];
  for (const device of devices) if (tests.every((test) => test(device))) found.push(device);
  if (query.sort === undefined) return found;
  const compare = orders[query.sort](reportOf, nameRanks);
  const sign = query.order === 'descending' ? -1 : 1;
  return found.sort((a, b) => sign * compare(a, b) || a.row.id - b.row.id);
}

function filtersOf(
  query: DeviceListQuery,
  { reportOf, userId, groupName, publisherOf }: SelectionFacts,
): ((device: OwnDevice) => boolean)[] {
  const { catalog, module = 0, key, dir, status, channel } = query;
  const regState = states[query['reg-state'] ?? 'accepted'];
  const tests: ((device: OwnDevice) => boolean)[] = [({ row }) => regState === undefined || row.regState === regState];
  if (catalog !== undefined && regState === regStates.accepted) tests.push(({ groupId }) => groupId === catalog);
  if (module !== 0) tests.push(({ row }) => row.module === module);
  if (query['is-favorite']) tests.push(({ row }) => (row.favorites & userId) !== 0);
  if (dir !== undefined) tests.push(({ row }) => (directions[directionOf(row)] & directions[dir]) !== 0);
  if (channel !== undefined) {
    const publisher = publisherOf(channel);
    tests.push(({ row }) => row.id === publisher || row.playsChannelId === channel);
  }
  if (key !== undefined) {
    const wanted = key.toLowerCase();
    tests.push(({ row: { sn, name } }) => sn.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted));
  }
  if (query.search !== undefined) {
    const wanted = query.search.toLowerCase();
    tests.push((device) => textsOf(device, reportOf, groupName).some((text) => text?.toLowerCase().includes(wanted)));
  }
  if (status !== undefined) {
    const words = status.split(',') as DeviceStatusWord[];
    tests.push((device) => words.some((word) => statusTests[word](reportOf(device))));
  }
  return tests;
}

/** What the search looks at. */
function textsOf(device: OwnDevice, reportOf: ReportOf, groupName: SelectionFacts['groupName']) {
  const { sn, name, address } = device.row;
  const { ethernet, wifi, usb } = reportOf(device).facts ?? {};
  return [name, sn, address, ethernet?.address, wifi?.address, usb?.address, groupName(device.groupId)];
}

const statusTests: Readonly<Record<DeviceStatusWord, (report: Report) => boolean>> = {
  'dev-warns': (report) => warnsAt(report) > 0,
  warns: ({ problem }) => isHubWarning(problem),
  offline: ({ connection }) => connection === 'offline',
  online: ({ connection }) => connection === 'online',
};

const warnsAt = ({ connection, facts }: Report): number => (connection === 'online' ? warnsOf(facts) : 0);

/** Whether the device or the hub warns. */
export const isWarning = (report: Report): boolean => warnsAt(report) > 0 || isHubWarning(report.problem);

const rank = { online: 0, connecting: 1, offline: 2 } as const;
type Compare = (a: OwnDevice, b: OwnDevice) => number;

const orders: Readonly<
  Record<NonNullable<DeviceListQuery['sort']>, (reportOf: ReportOf, ranks: NameRanks) => Compare>
> = {
  'online-state': (reportOf) => (a, b) => rank[reportOf(a).connection] - rank[reportOf(b).connection],
  sn: () => (a, b) => (a.row.sn < b.row.sn ? -1 : a.row.sn > b.row.sn ? 1 : 0),
  name: (_, ranks) => {
    const places = ranks();
    return (a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0);
  },
  time: () => (a, b) => a.row.appliedAt - b.row.appliedAt,
};

/** Within a group: those that are online, then those that were approved last, then the smaller serial number. */
export function inGroupOrder(devices: readonly OwnDevice[], reportOf: ReportOf): OwnDevice[] {
  const isOnline = new Map(devices.map((device) => [device, reportOf(device).connection === 'online' ? 0 : 1]));
  const at = (device: OwnDevice) => isOnline.get(device) ?? 1;
  return devices.toSorted(
    (a, b) => at(a) - at(b) || b.row.appliedAt - a.row.appliedAt || (a.row.sn < b.row.sn ? -1 : 1),
  );
}
