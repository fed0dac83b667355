/** What a route must not be, and whether a change of routes alters how the hub reaches a client. */
import type { RouteInterface, StaticRoute } from '../../appliance/routes/port.ts';
import { type Ipv4Net, ipv4Number, isHostIn, netOf } from '../../contract/ipv4.ts';
import { readDestination } from '../../contract/route-fields.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';

/** A route as a request has it. */
export interface AskedRoute {
  readonly destination: string;
  readonly gateway: string;
  readonly interface: string;
}

/** A network that is attached to an interface, and so is reached without a router. */
interface Attached extends Ipv4Net {
  /** The hub's address in it. */
  readonly own: number;
  readonly prefix: number;
}

/** Reads addresses such as 192.168.1.20/24. */
function attached({ addresses }: RouteInterface): Attached[] {
  return addresses.flatMap((text) => {
    const [host = '', bits] = text.split('/');
    const own = ipv4Number(host);
    return own === undefined ? [] : [{ own, prefix: Number(bits), ...netOf(own, Number(bits)) }];
  });
}

const isIn = (address: number, { first, last }: Ipv4Net) => address >= first && address <= last;

/** A destination in the form in which each has one spelling. */
export function fullDestination(text: string): string {
  return text.includes('/') ? text : `${text}/32`;
}

/** Throws if the hub may not have the route beside the others. */
export function checkedRoute(
  route: AskedRoute,
  { others, interfaces }: { others: readonly StaticRoute[]; interfaces: readonly RouteInterface[] },
): StaticRoute {
  const place = interfaces.find(({ id }) => id === route.interface);
  if (place === undefined) throw fieldError('interface', 'networkInterface', 'there is no such interface');
  refuseOwnNet(route, interfaces);
  refuseGateway(route, place);
  const destination = fullDestination(route.destination);
  if (others.some((other) => other.destination === destination)) {
    const message = `a route to ${destination} exists already`;
    const fields = [{ path: 'destination', rule: 'routeExists', message }];
    throw new HubError('objectExists', message, { params: { what: destination }, fields });
  }
  return { destination, gateway: route.gateway, interface: place.id };
}

/** Such a route would take a network, or a part of it, away from the interface. */
function refuseOwnNet({ destination }: AskedRoute, interfaces: readonly RouteInterface[]): void {
  const net = readDestination(destination);
  if (net === undefined) throw fieldError('destination', 'destination', 'is not a network such as 10.20.0.0/16');
  const place = interfaces.find((each) => attached(each).some((own) => isIn(net.first, own) && isIn(net.last, own)));
  if (place !== undefined) throw fieldError('destination', 'ownNet', `is in the network of ${place.id}`);
}

function refuseGateway({ gateway }: AskedRoute, place: RouteInterface): void {
  const address = ipv4Number(gateway) ?? 0;
  const nets = attached(place);
  // Without a connection, an interface that uses DHCP has no network yet.
  if (nets.length === 0) return;
  const fits = nets.some((net) => isIn(address, net) && isHostIn(address, net.prefix) && address !== net.own);
  if (!fits) throw fieldError('gateway', 'routeGateway', `is not another host in the network of ${place.id}`);
}

interface Alteration {
  readonly before: readonly StaticRoute[];
  readonly after: readonly StaticRoute[];
  readonly interfaces: readonly RouteInterface[];
}

/** Whether the hub would reach the client on another way than before. Routes of IPv6 are not set here. */
export function alters(client: string, { before, after, interfaces }: Alteration): boolean {
  const address = ipv4Number(client);
  if (address === undefined) return false;
  // No route is more specific than the network that the client is in, as `refuseOwnNet` demands.
  if (interfaces.some((each) => attached(each).some((net) => isIn(address, net)))) return false;
  const [was, will] = [before, after].map((routes) => routeTo(address, routes));
  return was?.gateway !== will?.gateway || was?.interface !== will?.interface;
}

/** The most specific one, as the kernel chooses it; undefined for the default route. */
function routeTo(address: number, routes: readonly StaticRoute[]): StaticRoute | undefined {
  const prefixOf = ({ destination }: StaticRoute) => readDestination(destination)?.prefix ?? 0;
  return routes
    .filter(({ destination }) => {
      const net = readDestination(destination);
      return net !== undefined && isIn(address, net);
    })
    .toSorted((a, b) => prefixOf(b) - prefixOf(a))[0];
}
