/** Port forwards: which exist, who may have them, and the listeners of those that are started. */

import type { BodyOf, QueryOf } from '../../contract/endpoint.ts';
import { type ForwardReason, usualForwardAddress, usualForwardPorts } from '../../contract/forward-states.ts';
import type { forwardApi } from '../../contract/forwards.ts';
import { limits } from '../../contract/limits.ts';
import type { OperationChange } from '../../contract/logs.ts';
import { hubActor } from '../../http/actor.ts';
import { type CurrentSession, principalOf } from '../../http/principal.ts';
import type { Actor, Session } from '../../http/route.ts';
import { createEmitter } from '../../lib/emitter.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import { windowOf } from '../../lib/list-page.ts';
import type { Log } from '../../lib/log.ts';
import { unlessNoSpace } from '../../lib/no-space.ts';
import { ownAddresses } from '../../lib/own-addresses.ts';
import { notExist, tooMany } from '../../lib/refusals.ts';
import { type Database, type Queries, transaction } from '../../store/database.ts';
import { refuseStale, revisionOf } from '../../store/revisions.ts';
import type { Timing } from '../../timing.ts';
import type { DeviceStanding, OpenDevicePort } from '../devices/feature.ts';
import type { Audit } from '../logs/audit.ts';
import type { StoredUser } from '../users/service.ts';
import { describeChange, describeNew } from './describe.ts';
import { createForwardRights, occupied } from './rights.ts';
import { createForwardRunner, portFaultOf } from './runner.ts';
import {
  countForwards,
  deleteForward,
  type ForwardRow,
  forwardEdit,
  insertForward,
  listAddedPorts,
  listForwards,
  type StoredForward,
  storeAddedPorts,
  updateForward,
} from './store.ts';
import { createForwardView } from './view.ts';
import type { VisitEntry } from './visits.ts';

export interface ForwardDeps {
  readonly db: Database;
  readonly audit: Audit;
  readonly devices: {
    readonly standing: (sn: string) => DeviceStanding | undefined;
    readonly openPort: OpenDevicePort;
    readonly canSee: (session: Session, sn: string) => boolean;
    /** Throws the same as other calls if there is no such device, or the caller may not see it. */
    readonly nameFor: (session: Session, sn: string) => string;
    readonly onChange: (changed: (sns: readonly string[], isStored: boolean) => void) => () => void;
  };
  readonly findUser: (id: number) => StoredUser | undefined;
  readonly currentSession: CurrentSession;
  /** Every port that the hub listens on or reserves. */
  readonly ownPorts: () => readonly number[];
  /** Of the wall. */
  readonly now: () => number;
  readonly log: Log;
  readonly timing: Timing['forwards'];
}

export interface Caller {
  readonly actor: Actor;
  readonly session: Session;
}

export type ForwardService = ReturnType<typeof createForwardService>;

export function createForwardService(deps: ForwardDeps) {
  const { db, audit, devices, now, timing, log } = deps;
  const changes = createEmitter<[ids: Iterable<number>]>();
  let rows: ReadonlyMap<number, ForwardRow> = new Map();
  let added: ReadonlyMap<string, readonly number[]> = new Map();
  let timer: Timer | undefined;

  const userName = (id: number) => (id === 0 ? '' : (deps.findUser(id)?.name ?? ''));
  const rights = createForwardRights({ ...deps, addedPorts: (sn) => added.get(sn) ?? [] });
  const runner = createForwardRunner({
    timing,
    admits(id) {
      const row = rows.get(id);
      return row?.isStarted === true && rights.mayRun(row);
    },
    openPort: ({ sn, remotePort, ownerId }) =>
      devices.openPort(sn, remotePort, { priority: 'bulk', user: userName(ownerId) }),
    record({ forwardId, peer, action, changes: facts }: VisitEntry) {
      const row = rows.get(forwardId);
      const actor = { ...hubActor, ip: peer };
      if (row !== undefined) audit.note(db, actor, { action, subject: labelOf(row), changes: facts });
    },
  });
  const view = createForwardView({ standing: devices.standing, running: runner.of, userName, now });
  const labelOf = ({ name, sn, remotePort }: Pick<ForwardRow, 'name' | 'sn' | 'remotePort'>) =>
    name || `${devices.standing(sn)?.name ?? sn}, port ${remotePort}`;

  /** Reads all of them again. Closes those that are no longer started. */
  function reload(): void {
    const before = rows;
    rows = new Map(listForwards(db).map((row) => [row.id, row]));
    added = listAddedPorts(db);
    for (const id of runner.ids()) if (rows.get(id)?.isStarted !== true) runner.close(id);
    for (const id of before.keys()) if (!rows.has(id)) view.forget(id);
    const mustTick = [...rows.values()].some(({ isStarted }) => isStarted);
    if (mustTick) timer ??= setInterval(tick, timing.checkMs);
    else {
      clearInterval(timer);
      timer = undefined;
    }
  }
  const tell = (ids: readonly number[]): void => {
    if (ids.length > 0) changes.emit(ids);
  };
  const stored = (...ids: readonly number[]) => {
    reload();
    tell(ids);
  };

  /** Opens the port of one that is started already: it waits for it. */
  function tryOpen(row: ForwardRow): void {
    try {
      const openPort = runner.open(row);
      if (openPort !== row.openPort) unlessNoSpace(() => updateForward(db, row.id, { openPort }));
    } catch (error) {
      const fault = portFaultOf(error);
      if (fault === undefined) throw error;
      if (runner.of(row.id)?.fault !== fault) log.warn('a port cannot be opened', { forward: labelOf(row), fault });
      runner.fail(row.id, fault);
    }
  }

  /** The hub stops it by itself. */
  function stopFor(row: ForwardRow, reason: ForwardReason): void {
    const facts: OperationChange[] = [{ word: 'stoppedBecause', value: reason }, ...runner.sums(row.id)];
    runner.close(row.id);
    log.info('a port forward was stopped', { forward: labelOf(row), peer: row.sn, reason });
    unlessNoSpace(() =>
      transaction<void>(db, (tx) => {
        updateForward(tx, row.id, { isStarted: false, reason });
        audit.record(tx, hubActor, { action: 'forward.stop', subject: labelOf(row), changes: facts });
      }),
    );
  }

  /** Ends what may no longer run. */
  function recheck(): void {
    const before = rows;
    reload();
    const ended = [...rows.values()].filter((row) => row.isStarted && !rights.mayRun(row));
    for (const row of ended) stopFor(row, 'noPermission');
    if (ended.length > 0) reload();
    tell([...[...before.keys()].filter((id) => !rows.has(id)), ...ended.map(({ id }) => id)]);
  }

  function tick(): void {
    const stopped: number[] = [];
    const stop = (row: ForwardRow, reason: ForwardReason) => {
      stopFor(row, reason);
      stopped.push(row.id);
    };
    for (const row of [...rows.values()].filter(({ isStarted }) => isStarted)) {
      if (!rights.mayRun(row)) stop(row, 'noPermission');
      else if (runner.isDue(row.id)) {
        tryOpen(row);
        stopped.push(row.id);
      } else if (runner.isUnused(row) && !row.isPermanent) stop(row, 'unused');
    }
    if (stopped.length > 0) reload();
    tell([...runner.check(), ...stopped]);
  }

  const existing = ({ session }: Pick<Caller, 'session'>, id: number): ForwardRow => {
    const row = rows.get(id);
    if (row === undefined || !devices.canSee(session, row.sn)) throw notExist('forward', id);
    return row;
  };

  /** Opens the port on behalf of the caller. The transaction must close it again if it fails. Returns the port. */
  function begin(tx: Queries, { actor, session }: Caller, row: ForwardRow): number {
    rights.refuse(session, row);
    let openPort: number;
    try {
      openPort = runner.open(row);
    } catch (error) {
      throw refusalOf(error, row) ?? error;
    }
    updateForward(tx, row.id, { isStarted: true, reason: null, openPort, ...principalOf(session) });
    const places: OperationChange[] = [
      { word: 'firstAddress', value: row.address },
      { word: 'port', value: String(openPort) },
    ];
    audit.record(tx, actor, { action: 'forward.start', subject: labelOf(row), changes: places });
    return openPort;
  }
  /** Nothing else happens while it runs: a port that is open without being stored has no connection yet. */
  function storing<T>(work: (tx: Queries) => T): T {
    try {
      return transaction<T>(db, work as never);
    } catch (error) {
      reload();
      throw error;
    }
  }

  reload();

  return {
    all: (): Iterable<ForwardRow> => rows.values(),
    find: (id: number): ForwardRow | undefined => rows.get(id),
    onChange: changes.on,
    tell,
    recheck,
    show: view.show,
    list({ session }: Pick<Caller, 'session'>, { sn, start, count }: QueryOf<typeof forwardApi.list>) {
      const seen = [...rows.values()].filter((row) => devices.canSee(session, row.sn));
      const found = seen.filter((row) => sn === undefined || row.sn === sn);
      const page = windowOf(found, start, count ?? found.length);
      return { ...page, total: found.length, list: page.list.map(view.show) };
    },
    options({ session }: Pick<Caller, 'session'>, sn: string) {
      devices.nameFor(session, sn);
      const isUsual = ({ address }: { readonly address: string }) => Number(address === usualForwardAddress);
      return {
        'usual-ports': [...usualForwardPorts],
        ports: [...(added.get(sn) ?? [])],
        addresses: ownAddresses()
          .filter(({ address }) => rights.canListen(address))
          .toSorted((a, b) => isUsual(b) - isUsual(a)),
        'own-ports': [...new Set(deps.ownPorts())],
      };
    },
    add(caller: Caller, { sn, start = false, ...body }: BodyOf<typeof forwardApi.add>): { id: number; port: number } {
      devices.nameFor(caller.session, sn);
      const wanted = {
        ...{ name: body.name ?? '', remotePort: body['remote-port'], localPort: body['local-port'] ?? 0 },
        ...{ address: body.address ?? usualForwardAddress, isPermanent: body['auto-start'] ?? false },
        idleMinutes: body['idle-minutes'] ?? limits.forwards.idleMinutes.default,
      };
      rights.refuse(caller.session, { ...wanted, sn });
      const result = storing((tx) => {
        if (countForwards(tx) >= limits.forwards.count) throw tooMany('port forwards', limits.forwards.count);
        const deviceId = devices.standing(sn)?.id ?? 0;
        const id = insertForward(tx, { ...wanted, deviceId, createdAt: now() });
        const label = labelOf({ ...wanted, sn });
        audit.record(tx, caller.actor, { action: 'forward.add', subject: label, changes: describeNew(wanted) });
        const row = listForwards(tx).find((one) => one.id === id);
        return { id, port: start && row !== undefined ? begin(tx, caller, row) : 0 };
      });
      stored(result.id);
      return result;
    },
    /** Returns the new revision. */
    set(caller: Caller, { id, revision, ...body }: BodyOf<typeof forwardApi.set>): number {
      const row = existing(caller, id);
      const change = changeOf(row, body);
      if (row.isStarted && ('remotePort' in change || 'localPort' in change || 'address' in change)) {
        throw new HubError(
          'wrongState',
          'ports and address cannot be changed while the forward is running; stop it first',
          {
            params: { what: labelOf(row) },
          },
        );
      }
      rights.refuse(caller.session, { ...row, ...change });
      transaction<void>(db, (tx) => {
        refuseStale(tx, forwardEdit(id), labelOf(row), revision);
        if (Object.keys(change).length === 0) return;
        updateForward(tx, id, change);
        audit.record(tx, caller.actor, {
          ...{ action: 'forward.set', subject: labelOf(row), changes: describeChange(change) },
          edited: [forwardEdit(id)],
        });
      });
      stored(id);
      return revisionOf(db, forwardEdit(id));
    },
    del(caller: Caller, ids: readonly number[]): void {
      const gone = [...new Set(ids)].map((id) => existing(caller, id));
      transaction<void>(db, (tx) => {
        for (const row of gone) {
          deleteForward(tx, row.id);
          const facts = runner.sums(row.id);
          audit.record(tx, caller.actor, { action: 'forward.del', subject: labelOf(row), changes: facts });
        }
      });
      for (const { id } of gone) runner.close(id);
      stored(...gone.map(({ id }) => id));
    },
    /** Returns the port. */
    start(caller: Caller, id: number): number {
      const row = existing(caller, id);
      const open = runner.of(id)?.listener;
      if (row.isStarted && open !== undefined) return open.port;
      const port = storing((tx) => begin(tx, caller, row));
      stored(id);
      return port;
    },
    stop(caller: Caller, id: number): void {
      const row = existing(caller, id);
      if (!row.isStarted) return;
      transaction<void>(db, (tx) => {
        updateForward(tx, id, { isStarted: false, reason: null });
        audit.record(tx, caller.actor, { action: 'forward.stop', subject: labelOf(row), changes: runner.sums(id) });
      });
      runner.close(id);
      stored(id);
    },
    setPorts({ actor, session }: Caller, { sn, ports }: BodyOf<typeof forwardApi.setPorts>): void {
      const name = devices.nameFor(session, sn);
      const next = [...new Set(ports)].filter((port) => !usualForwardPorts.includes(port)).toSorted((a, b) => a - b);
      if (String(next) === String(added.get(sn) ?? [])) return;
      transaction<void>(db, (tx) => {
        storeAddedPorts(tx, devices.standing(sn)?.id ?? 0, next);
        const facts: OperationChange[] = [{ word: 'devicePorts', value: next.join(', ') }];
        audit.record(tx, actor, { action: 'forward.setPorts', subject: name, changes: facts });
      });
      recheck();
    },
    /** Starts those that ran when the hub ended and are permanent. */
    resume(): void {
      for (const row of rows.values()) {
        if (!row.isStarted) continue;
        if (row.isPermanent && rights.mayRun(row)) tryOpen(row);
        else if (!row.isPermanent) {
          unlessNoSpace(() => updateForward(db, row.id, { isStarted: false, reason: 'restarted' }));
        }
      }
      recheck();
    },
    figures: runner.figures,
    close(): void {
      clearInterval(timer);
      for (const id of runner.ids()) runner.close(id);
    },
  };
}

/** Only what differs. */
function changeOf(row: ForwardRow, body: Partial<BodyOf<typeof forwardApi.set>>): Partial<StoredForward> {
  const wanted = {
    ...{ name: body.name, remotePort: body['remote-port'], localPort: body['local-port'], address: body.address },
    ...{ isPermanent: body['auto-start'], idleMinutes: body['idle-minutes'] },
  };
  const entries = Object.entries(wanted) as [keyof typeof wanted, unknown][];
  return Object.fromEntries(entries.filter(([name, value]) => value !== undefined && value !== row[name]));
}

function refusalOf(error: unknown, { localPort: port, address }: ForwardRow): HubError | undefined {
  switch (portFaultOf(error)) {
    case 'portOccupied':
      return occupied(port, `port ${port} is in use by another program`);
    case 'portForbidden':
      return fieldError(
        'local-port',
        'privilegedPort',
        'the operating system does not allow the hub to open this port',
      );
    case 'noAddress':
      return fieldError('address', 'ownAddress', `the hub does not have the address ${address}`);
    default:
      return undefined;
  }
}
