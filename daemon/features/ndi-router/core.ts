/**
 * The state of the NDI router: the matrix in memory and in the database, the desired state of the port, and the sources
 * on the network. A change is stored before it is sent to the port. What the port confirms is shown, but not stored.
 */

import { limits } from '../../contract/limits.ts';
import type { Actor } from '../../http/route.ts';
import { createEmitter } from '../../lib/emitter.ts';
import type { Log } from '../../lib/log.ts';
import { unlessNoSpace } from '../../lib/no-space.ts';
import type { NdiDesired, NdiOutputState, NdiRouterPort, NdiSource } from '../../ndi/port.ts';
import { type Database, transaction } from '../../store/database.ts';
import { type Edited, revisionOf } from '../../store/revisions.ts';
import type { Audit, AuditEntry } from '../logs/audit.ts';
import { inputOf, type Matrix, wantedSource } from './matrix.ts';
import { newMatrix } from './matrix-edit.ts';
import { inputEdit, outputEdit, readLastSeen, readMatrix, routerEdit, storeLastSeen, storeMatrix } from './store.ts';
import { showInput, showOutput, showRouter } from './view.ts';

/** How the hub finds sources. */
export interface NdiDiscovery {
  readonly servers: string;
  readonly extraIps: string;
  readonly groups: NdiDesired['groups'];
}

export interface CoreDeps {
  readonly db: Database;
  readonly audit: Audit;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly port: NdiRouterPort;
  readonly discovery: () => NdiDiscovery;
  /** The base name until the first change of the router. */
  readonly defaultBaseName: string;
}

/** What changed: the router itself, and the keys of inputs, outputs and sources. */
export interface Changed {
  readonly router: boolean;
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  readonly sources: readonly string[];
}

export interface Commit {
  readonly actor: Actor;
  readonly entries: readonly AuditEntry[];
  /** Called once the change is stored, before the port and subscribers learn of it. */
  readonly onStored?: () => void;
}

export type RouterCore = ReturnType<typeof createRouterCore>;

export function createRouterCore(deps: CoreDeps) {
  const { db, audit, log, now, port } = deps;
  const { ndiRouter } = limits;
  const changes = createEmitter<[what: Changed]>();
  let stored = readMatrix(db);
  let matrix: Matrix =
    stored ?? newMatrix(deps.defaultBaseName, { inputs: ndiRouter.inputs.default, outputs: ndiRouter.outputs.default });
  let lastSeen = readLastSeen(db);
  let sources = new Map<string, { readonly isOwn: boolean }>();
  let states = new Map<number, NdiOutputState>();
  let running = false;

  const emit = (what: Partial<Changed>): void =>
    changes.emit({ router: false, inputs: [], outputs: [], sources: [], ...what });
  const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
  const isOnline = (source: string): boolean => sources.has(source);

  const desired = (): NdiDesired => {
    const { servers, extraIps, groups } = deps.discovery();
    return {
      ...{ baseName: matrix.baseName, groups, discovery: { servers, extraIps } },
      // A hub whose router was never changed does not announce outputs.
      outputs: [...(stored ? matrix.outputs : [])].map(([id, output]) => ({
        ...{ id, name: output.name, group: output.group, source: wantedSource(matrix, output) },
      })),
    };
  };
  /** Sends the differences to the port. Resolves when they are applied, or at once if no process runs. */
  async function push(before: Matrix, wasStored: boolean): Promise<void> {
    if (!wasStored || isOtherSet(before, matrix)) {
      port.configure(desired());
      return;
    }
    const routes = [...matrix.outputs].flatMap(([id, output]) => {
      const was = before.outputs.get(id);
      const source = wantedSource(matrix, output);
      return was !== undefined && wantedSource(before, was) === source ? [] : [{ id, source }];
    });
    if (routes.length === 0) return;
    try {
      await port.route(routes);
    } catch (error) {
      log.debug('routes wait for the NDI process', { outputs: routes.length, reason: String(error) });
    }
  }

  function changedBetween(before: Matrix, after: Matrix): Partial<Changed> {
    const differing = <T>(one: ReadonlyMap<number, T>, other: ReadonlyMap<number, T>) =>
      [...new Set([...one.keys(), ...other.keys()])].filter((id) => one.get(id) !== other.get(id));
    const inputs = differing(before.inputs, after.inputs);
    const sizes = [before.inputCount, after.inputCount].toSorted((a, b) => a - b);
    const resized = numbers(sizes[1] ?? 0).slice(sizes[0]);
    const isRenamed = before.baseName !== after.baseName;
    // The view of an output has the source of its input.
    const outputs =
      inputs.length > 0 || isRenamed
        ? [...new Set([...before.outputs.keys(), ...after.outputs.keys()])]
        : differing(before.outputs, after.outputs);
    return { router: true, inputs: [...new Set([...inputs, ...resized])], outputs };
  }

  /** Reads sources and output states from the port. Returns the sources that appeared and disappeared. */
  function readPort(): { readonly came: readonly string[]; readonly gone: readonly string[] } {
    const before = sources;
    sources = new Map(listed(port.sources()).map(({ name, isOwn }) => [name, { isOwn }]));
    states = new Map(port.outputs().map((state) => [state.id, state]));
    running = port.runtime().state === 'running';
    return {
      came: [...sources.keys()].filter((name) => !before.has(name)),
      gone: [...before.keys()].filter((name) => !sources.has(name)),
    };
  }

  /** At most as many as are listed. Those of inputs come first: whoever announces thousands of names displaces none of them. */
  function listed(found: readonly NdiSource[]): readonly NdiSource[] {
    if (found.length <= ndiRouter.sources) return found;
    const used = new Set([...matrix.inputs.values()].map(({ source }) => source));
    const isUsed = ({ name }: NdiSource) => Number(used.has(name));
    return found.toSorted((a, b) => isUsed(b) - isUsed(a)).slice(0, ndiRouter.sources);
  }

  function remember(gone: readonly string[]): void {
    const names = new Set(gone);
    const ids = [...matrix.inputs].filter(([, { source }]) => source !== null && names.has(source)).map(([id]) => id);
    if (ids.length === 0) return;
    const time = now();
    lastSeen = new Map([...lastSeen, ...ids.map((id) => [id, time] as const)]);
    unlessNoSpace(() => transaction<void>(db, (tx) => storeLastSeen(tx, ids, time)));
  }

  const stop = port.onChange(() => {
    const { came, gone } = readPort();
    remember(gone);
    emit({
      ...{ router: true, sources: [...came, ...gone], outputs: [...matrix.outputs.keys()] },
      inputs: came.length + gone.length === 0 ? [] : [...matrix.inputs.keys()],
    });
  });
  port.configure(desired());
  readPort();

  const revision = (edited: Edited) => revisionOf(db, edited);

  return {
    matrix: (): Matrix => matrix,
    onChange: changes.on,
    isOnline,
    isRunning: (): boolean => running,
    receivers: (id: number): number => states.get(id)?.receivers ?? 0,
    /** Whether the port has confirmed the source of the output. */
    isApplied(id: number): boolean {
      const [output, state] = [matrix.outputs.get(id), states.get(id)];
      return running && output !== undefined && state !== undefined && state.applied === wantedSource(matrix, output);
    },
    sources: () => [...sources].map(([name, { isOwn }]) => ({ name, own: isOwn })),
    source(name: string) {
      const found = sources.get(name);
      return found && { name, own: found.isOwn };
    },
    runtime: () => port.runtime(),
    /** The newest thumbnails of those sources that are online, with a higher number than `after`. */
    pictures: (names: readonly string[], after: number) => port.pictures(names.filter(isOnline), after),
    /** Stores the state and its entries in the operation log, or nothing; then tells the port. */
    async commit(next: Matrix, { actor, entries, onStored }: Commit): Promise<void> {
      const [before, wasStored] = [matrix, stored];
      transaction<void>(db, (tx) => {
        storeMatrix(tx, wasStored, next);
        for (const entry of entries) audit.record(tx, actor, entry);
      });
      matrix = next;
      stored = next;
      onStored?.();
      for (const [id, { source }] of before.inputs) if (source !== inputOf(next, id).source) lastSeen.delete(id);
      emit(changedBetween(before, next));
      await push(before, wasStored !== undefined);
      readPort();
    },
    /** The same for state that is not stored: the substitutes. The log entries are stored if there is space. */
    async show(next: Matrix, { actor, entries }: Omit<Commit, 'onStored'>): Promise<void> {
      const before = matrix;
      for (const entry of entries) audit.note(db, actor, entry);
      matrix = next;
      if (stored) stored = next;
      emit(changedBetween(before, next));
      await push(before, stored !== undefined);
      readPort();
    },
    /** Call when something changed that the view of the router also has, such as the state of the panel server. */
    tell: (): void => emit({ router: true }),
    /** Sends the whole desired state to the port. Call after the discovery settings changed. */
    configure: (): void => port.configure(desired()),
    retry: (): void => port.retry(),
    revision,
    showRouter: () =>
      showRouter(matrix, {
        ...{ runtime: port.runtime(), revision: revision(routerEdit) },
        foreign: [...sources].filter(([, { isOwn }]) => !isOwn).map(([name]) => name),
      }),
    inputIds: () => numbers(matrix.inputCount),
    showInput(id: number) {
      const { source } = inputOf(matrix, id);
      const online = source !== null && isOnline(source);
      return showInput(matrix, id, { online, lastSeen: lastSeen.get(id), revision: revision(inputEdit(id)) });
    },
    showOutput: (id: number) =>
      showOutput(matrix, id, {
        ...{ state: states.get(id), isRunning: running, isOnline, revision: revision(outputEdit(id)) },
      }),
    close(): Promise<void> {
      stop();
      return port.close();
    },
  };
}

/** Whether the outputs or their names differ, not only their routes. */
function isOtherSet(one: Matrix, other: Matrix): boolean {
  if (one.baseName !== other.baseName || one.outputs.size !== other.outputs.size) return true;
  return [...one.outputs].some(([id, { name, group }]) => {
    const now = other.outputs.get(id);
    return now === undefined || now.name !== name || now.group !== group;
  });
}
