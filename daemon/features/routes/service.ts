/** Static routes of the appliance. NetworkManager stores them, with the settings of each interface. */
import type { ConfirmedChanges } from '../../appliance/confirmed-change/confirmed-changes.ts';
import { missingOf } from '../../appliance/missing-part.ts';
import type { PortDevices, RouteState, RoutesPort, StaticRoute } from '../../appliance/routes/port.ts';
import type { BodyOf, QueryOf, ResponseOf } from '../../contract/endpoint.ts';
import { limits } from '../../contract/limits.ts';
import type { OperationChange } from '../../contract/logs.ts';
import type { ToConfirm } from '../../contract/network.ts';
import { defaultConfirmSeconds } from '../../contract/network-fields.ts';
import type { routeApi } from '../../contract/routes.ts';
import type { Actor, Session } from '../../http/route.ts';
import { fieldError } from '../../lib/hub-error.ts';
import { windowOf } from '../../lib/list-page.ts';
import { notExist, tooMany } from '../../lib/refusals.ts';
import type { Database } from '../../store/database.ts';
import type { Audit } from '../logs/audit.ts';
import { alters, checkedRoute } from './rules.ts';

export interface RouteDeps {
  readonly db: Database;
  readonly audit: Audit;
  readonly routes: RoutesPort;
  readonly portDevices: () => Promise<PortDevices>;
  readonly changes: () => Promise<ConfirmedChanges>;
}

export interface Caller {
  readonly actor: Actor;
  readonly session: Session;
}

interface Confirmation {
  readonly 'confirm-within'?: number | undefined;
  readonly 'accept-risk'?: boolean | undefined;
}

/** What is recorded about a change. */
interface Entry {
  readonly action: 'route.add' | 'route.set' | 'route.del';
  readonly subject: string;
  readonly changes: readonly OperationChange[];
}

export type RouteService = ReturnType<typeof createRouteService>;

export function createRouteService({ db, audit, routes, portDevices, changes }: RouteDeps) {
  const read = async (): Promise<RouteState & { devices: PortDevices }> => {
    const devices = await portDevices();
    return { devices, ...(await routes.read(devices)) };
  };

  /** Makes a change at once or, if the way to the caller is another one then, lets it wait to be confirmed. */
  async function change(
    { actor, session }: Caller,
    {
      state,
      after,
      entry,
      asked,
    }: { state: Awaited<ReturnType<typeof read>>; after: StaticRoute[]; entry: Entry; asked: Confirmation },
  ): Promise<ToConfirm> {
    const next = { devices: state.devices, routes: after };
    const service = await changes();
    const isRisky = alters(actor.ip, { before: state.routes, after, interfaces: state.interfaces });
    const { 'confirm-within': seconds = defaultConfirmSeconds, 'accept-risk': acceptsRisk } = asked;
    if (isRisky && seconds > 0) {
      const userId = session.token ? null : session.user.id;
      const token = await service.begin({ kind: 'routes', change: next, user: actor.name, userId, seconds });
      const limit: OperationChange = { word: 'confirmWithin', value: String(seconds) };
      audit.record(db, actor, { ...entry, changes: [...entry.changes, limit] });
      return { token, 'confirm-by-s': seconds, addresses: [] };
    }
    if (isRisky && acceptsRisk !== true) {
      throw fieldError('accept-risk', 'required', 'you may lose the connection to the hub; set accept-risk');
    }
    const limit = limits.requestTimeoutMs / 1000;
    const release = service.claim({ kind: 'routes', user: actor.name, seconds: limit, isFinal: true });
    try {
      await routes.write(next);
    } finally {
      release();
    }
    audit.record(db, actor, entry);
    return { 'confirm-by-s': 0, addresses: [] };
  }

  const existing = (state: RouteState, id: string): StaticRoute => {
    const found = state.routes.find(({ destination }) => destination === id);
    if (found === undefined) throw notExist('route', id);
    return found;
  };

  return {
    async list({ start, count }: QueryOf<typeof routeApi.list>): Promise<ResponseOf<typeof routeApi.list>> {
      try {
        const { interfaces, routes: all } = await read();
        const list = all.map(({ isActive, ...route }) => ({ id: route.destination, ...route, active: isActive }));
        const places = interfaces.map(({ id, addresses }) => ({ id, addresses: [...addresses] }));
        return { ...windowOf(list, start, count ?? list.length), total: list.length, interfaces: places, missing: [] };
      } catch (error) {
        return { start: 0, total: 0, list: [], interfaces: [], missing: [missingOf(error)] };
      }
    },
    async add(caller: Caller, body: BodyOf<typeof routeApi.add>): Promise<ToConfirm> {
      const state = await read();
      if (state.routes.length >= limits.routes) throw tooMany('routes', limits.routes);
      const route = checkedRoute(body, { others: state.routes, interfaces: state.interfaces });
      const entry = { action: 'route.add', subject: route.destination, changes: described(route) } as const;
      return change(caller, { state, after: [...state.routes, route], entry, asked: body });
    },
    async set(caller: Caller, { id, ...body }: BodyOf<typeof routeApi.set>): Promise<ToConfirm> {
      const state = await read();
      const before = existing(state, id);
      const others = state.routes.filter((route) => route !== before);
      const asked = {
        destination: body.destination ?? before.destination,
        gateway: body.gateway ?? before.gateway,
        interface: body.interface ?? before.interface,
      };
      const route = checkedRoute(asked, { others, interfaces: state.interfaces });
      const facts = described(route, before);
      if (facts.length === 0) return { 'confirm-by-s': 0, addresses: [] };
      const entry = { action: 'route.set', subject: id, changes: facts } as const;
      return change(caller, { state, after: [...others, route], entry, asked: body });
    },
    async del(caller: Caller, { id, ...asked }: BodyOf<typeof routeApi.del>): Promise<ToConfirm> {
      const state = await read();
      const gone = [id].flat().map((one) => existing(state, one));
      const after = state.routes.filter((route) => !gone.includes(route));
      const subject = gone.map(({ destination }) => destination).join(', ');
      return change(caller, { state, after, entry: { action: 'route.del', subject, changes: [] }, asked });
    },
  };
}

/** Only what differs. */
function described(route: StaticRoute, before?: StaticRoute): OperationChange[] {
  return [
    ...(before !== undefined && route.destination !== before.destination
      ? [{ word: 'routeDestination', value: route.destination } as const]
      : []),
    ...(route.gateway === before?.gateway ? [] : [{ word: 'routeGateway', value: route.gateway } as const]),
    ...(route.interface === before?.interface
      ? []
      : [{ word: 'routeInterface', value: route.interface.toUpperCase() } as const]),
  ];
}
