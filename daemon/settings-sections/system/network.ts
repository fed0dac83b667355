/**
 * Ethernet ports of an appliance and their static routes, which NetworkManager changes in one step. Routes of Wi-Fi
 * networks, and ports that a file leaves out, do not change.
 */
import * as z from 'zod/mini';
import type { NetPort, NetState, PortChange, PortConfig, Target } from '../../appliance/net/port.ts';
import type { RoutesPort, StaticRoute } from '../../appliance/routes/port.ts';
import { limits } from '../../contract/limits.ts';
import { type EthernetPort, ethernetPorts, noFaults, PortFields } from '../../contract/network-fields.ts';
import { RouteFields } from '../../contract/route-fields.ts';
import { type AskedPorts, assign, configOf, configsOf, portChanges, settingsOf } from '../../features/network/ports.ts';
import { edited, readHardware } from '../../features/network/store.ts';
import { checkedRoute, fullDestination } from '../../features/routes/rules.ts';
import { HubError } from '../../lib/hub-error.ts';
import type { Database } from '../../store/database.ts';
import { type After, defineSection, inSection, type Section, type SystemArea } from '../section.ts';

const PortItem = z.strictObject({ port: z.enum(ethernetPorts), ...PortFields.shape }).check(noFaults);
type PortItem = z.infer<typeof PortItem>;

const RouteItem = z.strictObject({ ...RouteFields, interface: z.enum(ethernetPorts) });
type RouteItem = z.infer<typeof RouteItem>;

const [ports, routes] = ['network', 'routes'];

/** The current state of the machine. */
interface Reading {
  readonly state: NetState;
  readonly hardware: ReturnType<typeof readHardware>;
  readonly configs: Readonly<Record<EthernetPort, PortConfig | null>>;
  readonly routes: readonly RouteItem[];
}

interface NetworkAreaDeps {
  readonly db: Database;
  readonly net: NetPort;
  readonly routes: RoutesPort;
}

export function networkArea({ db, net, routes: routing }: NetworkAreaDeps): SystemArea {
  return {
    ...{ part: 'network', names: [ports, routes] },
    async open() {
      const [state, hardware] = [await net.read(), readHardware(db)];
      const found = assign(state.devices, hardware);
      const devices = Object.fromEntries(Object.entries(found).map(([port, { name }]) => [port, name]));
      const all = (await routing.read(devices)).routes.flatMap(({ destination, gateway, interface: id }) =>
        id === 'wifi' ? [] : [{ destination, gateway, interface: id }],
      );
      const reading = { state, hardware, configs: configsOf(state, hardware), routes: all };
      return {
        sections: [portSection(reading), routeSection(reading)],
        changeTo(after) {
          const asked = askedPorts(reading, after);
          const changed = changedPorts(reading, asked);
          const change = withRoutes(reading, changed, after);
          return { change, addresses: changed.flatMap(({ config: { fixed } }) => (fixed ? [fixed.address] : [])) };
        },
      };
    },
  };
}

function portSection({ configs }: Reading): Section {
  const now = ethernetPorts.flatMap((port) => {
    const config = configs[port];
    return config === null ? [] : [{ port, ...settingsOf(config) }];
  });
  return defineSection<PortItem>({
    ...{ name: ports, effect: 'confirm', limit: ethernetPorts.length, schema: PortItem, keyOf: ({ port }) => port },
    read: () => now.map((value) => ({ value, secret: {} })),
    normal: ({ value }) => ({ port: value.port, ...settingsOf(configOf(value)) }),
    edited: () => edited,
  });
}

function routeSection(reading: Reading): Section {
  return defineSection<RouteItem>({
    ...{
      name: routes,
      effect: 'confirm',
      limit: limits.routes,
      schema: RouteItem,
      keyOf: ({ destination }) => destination,
    },
    read: () => reading.routes.map((value) => ({ value, secret: {} })),
    normal: ({ value }) => ({ ...value, destination: fullDestination(value.destination) }),
    remove: () => {},
  });
}

function askedPorts({ configs }: Reading, after: After): AskedPorts {
  const items = (after.get(ports) ?? []).map(({ value }) => value as PortItem);
  return Object.fromEntries(
    items.flatMap(({ port, ...settings }) =>
      Bun.deepEquals(configOf(settings), configs[port], true) ? [] : [[port, settings] as const],
    ),
  );
}

/** Names the port and the member in errors about a port. */
function changedPorts({ state, hardware }: Reading, asked: AskedPorts): PortChange[] {
  try {
    return portChanges(state, hardware, asked);
  } catch (error) {
    const [field] = error instanceof HubError ? (error.fields ?? []) : [];
    if (!(error instanceof HubError) || field === undefined) throw error;
    const [port = '', member = 'port'] = field.path.split('.');
    throw inSection(ports, port, new HubError(error.result, error.message, { fields: [{ ...field, path: member }] }));
  }
}

function withRoutes(reading: Reading, changed: readonly PortChange[], after: After): PortChange[] {
  const wanted = after.get(routes)?.map(({ value }) => value as RouteItem);
  if (wanted === undefined) return [...changed];
  const checked = checkedRoutes(reading, changed, wanted);
  const found = assign(reading.state.devices, reading.hardware);
  return ethernetPorts.flatMap((port): PortChange[] => {
    const change = changed.find((one) => one.port === port);
    const [targets, before] = [targetsOf(checked, port), targetsOf(reading.routes, port)];
    if (change === undefined && Bun.deepEquals(targets, before, true)) return [];
    const [config, hardware] = [reading.configs[port], found[port]?.hardware];
    if (change !== undefined) return [{ ...change, routes: targets }];
    // A port without settings or hardware accepts no route.
    return config === null || hardware === undefined ? [] : [{ port, hardware, config, routes: targets }];
  });
}

/** Checks routes against the networks that the ports will have. */
function checkedRoutes(reading: Reading, changed: readonly PortChange[], wanted: readonly RouteItem[]): StaticRoute[] {
  const found = assign(reading.state.devices, reading.hardware);
  const interfaces = ethernetPorts.flatMap((port) => {
    const config = changed.find((one) => one.port === port)?.config ?? reading.configs[port];
    if (found[port] === undefined || config === null) return [];
    const own = config.fixed ? [`${config.fixed.address}/${config.fixed.prefix}`] : [];
    const leased = found[port].config?.fixed === null ? found[port].addresses : [];
    return [{ id: port, addresses: config.fixed ? own : leased }];
  });
  const checked: StaticRoute[] = [];
  for (const route of wanted) {
    try {
      checked.push(checkedRoute(route, { others: checked, interfaces }));
    } catch (error) {
      throw error instanceof HubError ? inSection(routes, route.destination, error) : error;
    }
  }
  return checked;
}

function targetsOf(all: readonly StaticRoute[], port: EthernetPort): Target[] {
  return all
    .filter((route) => route.interface === port)
    .map(({ destination, gateway }) => ({ destination, gateway }))
    .toSorted((a, b) => (a.destination < b.destination ? -1 : 1));
}
