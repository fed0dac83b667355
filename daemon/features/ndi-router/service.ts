/** The NDI router: the rules of its calls, and their entries in the operation log. */
import type { BodyOf } from '../../contract/endpoint.ts';
import { limits } from '../../contract/limits.ts';
import type { OperationChange } from '../../contract/logs.ts';
import type { ndiPresetApi } from '../../contract/ndi-presets.ts';
import type { ndiRouterApi, ndiSalvoApi, RouteResult } from '../../contract/ndi-router.ts';
import type { SalvoPolicy } from '../../contract/ndi-router-words.ts';
import type { Actor } from '../../http/route.ts';
import { createEmitter } from '../../lib/emitter.ts';
import { HubError } from '../../lib/hub-error.ts';
import { nameTaken, notExist, tooMany } from '../../lib/refusals.ts';
import { refuseTaken } from '../../store/constraint.ts';
import { transaction } from '../../store/database.ts';
import { refuseStale, revisionOf } from '../../store/revisions.ts';
import { type CoreDeps, createRouterCore } from './core.ts';
import { describeInput, describeOutput, describeRouter, type Origin, routeEntries } from './describe.ts';
import {
  byUser,
  inputOf,
  type Lock,
  type Matrix,
  type Route,
  type RouteAnswer,
  route,
  salvoOf,
  undoOutputs,
  undoSalvo,
} from './matrix.ts';
import {
  addOutput,
  delOutputs,
  existingOutput,
  freeInput,
  inputTitle,
  outputTitle,
  resize,
  setBaseName,
  setInput,
  setLocks,
  setOutput,
} from './matrix-edit.ts';
import { inputEdit, outputEdit, presetRows, routerEdit, type SalvoRow, salvoEdit, salvoRows } from './store.ts';
import { showSalvo } from './view.ts';
import { type Clock, type WatchTimes, watchSources } from './watch.ts';

export interface NdiRouterDeps extends CoreDeps {
  readonly clock: Clock;
  readonly times: WatchTimes;
}

/** Who makes a call. */
export interface Caller {
  readonly actor: Actor;
}

export type NdiRouterService = ReturnType<typeof createNdiRouterService>;

/** Who or what routes: which locks it may ignore, and how the operation log names it. */
export interface Router {
  readonly actor: Actor;
  readonly origin?: Origin | undefined;
  readonly passes: (lock: Lock) => boolean;
}

export function createNdiRouterService({ clock, times, ...deps }: NdiRouterDeps) {
  const { db, audit, now } = deps;
  const core = createRouterCore(deps);
  const watch = watchSources(core, clock, times);
  const salvoChanges = createEmitter<[ids: readonly number[]]>();
  const forced = (force: boolean | undefined) => ({ force: force === true, receivers: core.receivers });
  const shownAs = ({ name, ip }: Actor): string => name || ip;

  const resultOf = ({ out, result, reason, lock }: RouteAnswer): RouteResult => ({
    ...{ out, result },
    ...(reason && { reason }),
    ...(lock && { 'locked-by': lock.owner }),
    applied: core.isApplied(out),
  });

  /** Stores what was routed, waits until the port has applied it, and returns a result for each output. */
  async function settle(
    { matrix: next, answers }: ReturnType<typeof route>,
    { actor, origin }: Pick<Router, 'actor' | 'origin'>,
  ): Promise<RouteResult[]> {
    const before = core.matrix();
    const done = answers.filter(({ result }) => result === 'done').map(({ out }) => out);
    const entries = routeEntries(before, next, origin);
    if (done.length > 0) await core.commit(next, { actor, entries, onStored: () => watch.routed(done) });
    return answers.map(resultOf);
  }

  interface Wish {
    readonly routes: readonly Route[];
    readonly policy?: SalvoPolicy | undefined;
    /** Of the salvo. */
    readonly name?: string;
    readonly mustBeOnline?: boolean | undefined;
  }
  function routeAll({ routes, policy = 'skipLocked', name = '', mustBeOnline = false }: Wish, by: Router) {
    const before = core.matrix();
    const { matrix, answers } = route(before, routes, {
      ...{ policy, passes: by.passes },
      ...(mustBeOnline && { isOnline: core.isOnline }),
    });
    const [only] = answers;
    if (answers.length === 1 && only?.reason === 'offline') {
      const source = inputOf(before, routes[0]?.in ?? 0).source ?? '';
      throw new HubError('ndiSourceOffline', `'${source}' is not on the network`, { params: { what: source } });
    }
    const isSalvo = routes.length > 1 || name !== '';
    const last = isSalvo ? salvoOf(before, matrix, routes, { name, by: shownAs(by.actor), time: now() }) : null;
    return settle({ matrix: last ? { ...matrix, lastSalvo: last } : matrix, answers }, by);
  }
  const asUser = ({ actor }: Caller, origin?: Origin): Router => ({ actor, origin, ...byUser });

  function revised(next: Matrix, { actor }: Caller, entry: Parameters<typeof audit.record>[2]): Promise<void> {
    return core.commit(next, { actor, entries: [entry] });
  }

  const salvoNamed = <T>(name: string | undefined, work: () => T): T =>
    refuseTaken({ 'ndi_salvos.name': () => nameTaken(name ?? '') }, work);
  const refuseUnknown = (routes: readonly Route[]): void => {
    const { outputs, inputCount } = core.matrix();
    for (const { out, in: slot } of routes) {
      if (!outputs.has(out)) throw notExist('output', out);
      if (slot !== null && slot > inputCount) throw notExist('input', slot);
    }
  };
  const describeSalvo = ({ name, policy, routes }: Partial<SalvoRow>): OperationChange[] => [
    ...(name === undefined ? [] : [{ word: 'name', value: name } as const]),
    ...(policy === undefined ? [] : [{ word: 'salvoPolicy', value: policy } as const]),
    ...(routes === undefined ? [] : [{ word: 'salvoRoutes', value: String(routes.length) } as const]),
  ];
  const salvos = {
    list: () => salvoRows.list(db).map(showSalvo),
    find(id: number) {
      const row = salvoRows.find(db, id);
      return row && showSalvo(row);
    },
    onChange: salvoChanges.on,
    add({ actor }: Caller, { name, routes, policy = 'skipLocked' }: BodyOf<typeof ndiSalvoApi.add>): number {
      refuseUnknown(routes);
      const id = salvoNamed(name, () =>
        transaction<number>(db, (tx) => {
          if (salvoRows.count(tx) >= limits.ndiRouter.salvos) throw tooMany('salvos', limits.ndiRouter.salvos);
          const added = salvoRows.insert(tx, { name, routes, policy, createdAt: now() });
          const changes = describeSalvo({ policy, routes });
          audit.record(tx, actor, { action: 'ndiSalvo.add', subject: name, changes });
          return added;
        }),
      );
      salvoChanges.emit([id]);
      return id;
    },
    /** Returns the new revision. */
    set({ actor }: Caller, { id, revision, ...body }: BodyOf<typeof ndiSalvoApi.set>): number {
      refuseUnknown(body.routes ?? []);
      const change = Object.fromEntries(
        Object.entries(body).filter(([, value]) => value !== undefined),
      ) as Partial<SalvoRow>;
      const next = salvoNamed(body.name, () =>
        transaction<number>(db, (tx) => {
          const row = salvoRows.existing(tx, id);
          refuseStale(tx, salvoEdit(id), row.name, revision);
          if (Object.keys(change).length === 0) return row.revision;
          salvoRows.update(tx, id, change);
          const changes = describeSalvo(change);
          audit.record(tx, actor, { action: 'ndiSalvo.set', subject: row.name, changes, edited: [salvoEdit(id)] });
          return revisionOf(tx, salvoEdit(id));
        }),
      );
      salvoChanges.emit([id]);
      return next;
    },
    del({ actor }: Caller, ids: readonly number[]): void {
      transaction<void>(db, (tx) => {
        const rows = salvoRows.allExisting(tx, [...new Set(ids)]);
        salvoRows.delete(tx, ids);
        for (const { name } of rows) audit.record(tx, actor, { action: 'ndiSalvo.del', subject: name });
      });
      salvoChanges.emit(ids);
    },
    recall(caller: Caller, { id, policy }: BodyOf<typeof ndiSalvoApi.recall>): Promise<RouteResult[]> {
      const { name, routes, policy: own } = salvoRows.existing(db, id);
      return routeAll({ routes, policy: policy ?? own, name }, asUser(caller, { word: 'bySalvo', value: name }));
    },
    /** Returns the id. */
    capture(caller: Caller, { id, name, outs, revision }: BodyOf<typeof ndiSalvoApi.capture>): number {
      const { outputs } = core.matrix();
      const before = id === undefined ? undefined : salvoRows.existing(db, id);
      // Outputs that were deleted since are no longer part of it.
      const usual = before?.routes.map(({ out }) => out).filter((out) => outputs.has(out)) ?? [...outputs.keys()];
      const routes = [...new Set(outs ?? usual)].map((out) => ({
        out,
        in: existingOutput(core.matrix(), out).slot,
      }));
      if (routes.length === 0) throw new HubError('wrongState', 'there is no output to capture');
      if (id === undefined) return salvos.add(caller, { name: name ?? '', routes });
      salvos.set(caller, { id, name, routes, revision });
      return id;
    },
  };

  const presets = {
    list: () => presetRows.list(db).map(({ id, name, config }) => ({ id, ...config, name })),
    save({ actor }: Caller, { replace, name, ...config }: BodyOf<typeof ndiPresetApi.save>): number {
      return transaction<number>(db, (tx) => {
        const known = presetRows.list(tx).find((row) => row.name === name);
        if (known && replace !== true) throw nameTaken(name);
        const changes: OperationChange[] = [{ word: 'ndiSource', value: config.source }];
        audit.record(tx, actor, { action: known ? 'ndiPreset.set' : 'ndiPreset.add', subject: name, changes });
        if (known) {
          presetRows.update(tx, known.id, { config });
          return known.id;
        }
        if (presetRows.count(tx) >= limits.ndiRouter.presets) throw tooMany('presets', limits.ndiRouter.presets);
        return presetRows.insert(tx, { name, config });
      });
    },
    del({ actor }: Caller, ids: readonly number[]): void {
      transaction<void>(db, (tx) => {
        const rows = presetRows.allExisting(tx, [...new Set(ids)]);
        presetRows.delete(tx, ids);
        for (const { name } of rows) audit.record(tx, actor, { action: 'ndiPreset.del', subject: name });
      });
    },
    /** Returns the members that an input takes from a preset. */
    inputOf(id: number | undefined) {
      if (id === undefined) return {};
      const { name, config } = presetRows.existing(db, id);
      return { source: config.source, group: config.group, label: config.alias || name };
    },
  };

  return {
    ...{ core, salvos, presets, routeAll },
    get: () => ({
      router: core.showRouter(),
      inputs: core.inputIds().map(core.showInput),
      outputs: [...core.matrix().outputs.keys()].flatMap((id) => core.showOutput(id) ?? []),
    }),
    /** Returns the new revision. */
    async set(caller: Caller, { revision, force, ...body }: BodyOf<typeof ndiRouterApi.set>): Promise<number> {
      const before = core.matrix();
      refuseStale(db, routerEdit, before.baseName, revision);
      const size = { inputs: body.inputs ?? before.inputCount, outputs: body.outputs ?? before.columns };
      const isSized = size.inputs !== before.inputCount || size.outputs !== before.columns;
      const named = setBaseName(before, body['base-name'] ?? before.baseName, forced(force));
      const next = {
        ...(isSized ? resize(named, size, forced(force)) : named),
        autoFill: body['auto-fill'] ?? before.autoFill,
      };
      const changes = describeRouter(before, next);
      if (changes.length > 0) {
        const entry = { action: 'ndiRouter.set', subject: next.baseName, changes, edited: [routerEdit] };
        await revised(next, caller, entry);
      }
      return core.revision(routerEdit);
    },
    route: (caller: Caller, body: BodyOf<typeof ndiRouterApi.route>) =>
      routeAll({ routes: body.routes, policy: body.policy, mustBeOnline: body['must-be-online'] }, asUser(caller)),
    async undo(caller: Caller, outs: readonly number[] | undefined): Promise<RouteResult[]> {
      const before = core.matrix();
      if (outs === undefined && before.lastSalvo === null)
        throw new HubError('wrongState', 'there is no salvo to undo');
      const undone = outs === undefined ? undoSalvo(before) : undoOutputs(before, [...new Set(outs)]);
      return settle(undone, asUser(caller, { word: 'byUndo' }));
    },
    async setInput(
      caller: Caller,
      { id: given, preset, revision, force, ...body }: BodyOf<typeof ndiRouterApi.setInput>,
    ): Promise<{ id: number; revision: number }> {
      const before = core.matrix();
      const id = given ?? freeInput(before);
      refuseStale(db, inputEdit(id), `${id}`, revision);
      const next = setInput(before, id, { ...presets.inputOf(preset), ...definedOf(body) }, { force: force === true });
      const changes = describeInput(inputOf(before, id), inputOf(next, id));
      if (changes.length > 0) {
        const subject = inputTitle(id, inputOf(next, id));
        await revised(next, caller, { action: 'ndiInput.set', subject, changes, edited: [inputEdit(id)] });
      }
      return { id, revision: core.revision(inputEdit(id)) };
    },
    async addOutput(caller: Caller, body: BodyOf<typeof ndiRouterApi.addOutput>): Promise<number> {
      const { matrix: next, id } = addOutput(core.matrix(), outputChange(body));
      const output = existingOutput(next, id);
      const entry = { action: 'ndiOutput.add', subject: outputTitle(id, output) };
      await revised(next, caller, { ...entry, changes: describeOutput(undefined, output) });
      return id;
    },
    /** Returns the new revision. */
    async setOutput(
      caller: Caller,
      { id, revision, force, ...body }: BodyOf<typeof ndiRouterApi.setOutput>,
    ): Promise<number> {
      const before = core.matrix();
      const output = existingOutput(before, id);
      refuseStale(db, outputEdit(id), outputTitle(id, output), revision);
      const next = setOutput(before, id, outputChange(body), forced(force));
      const changes = describeOutput(output, existingOutput(next, id));
      if (changes.length > 0) {
        const subject = outputTitle(id, output);
        await revised(next, caller, { action: 'ndiOutput.set', subject, changes, edited: [outputEdit(id)] });
      }
      return core.revision(outputEdit(id));
    },
    async delOutputs(caller: Caller, given: readonly number[], force: boolean | undefined): Promise<void> {
      const ids = [...new Set(given)];
      const before = core.matrix();
      const next = delOutputs(before, ids, forced(force));
      const entries = ids.map((id) => ({
        ...{ action: 'ndiOutput.del', subject: outputTitle(id, existingOutput(before, id)) },
      }));
      await core.commit(next, { actor: caller.actor, entries });
    },
    /** Locks or unlocks outputs on behalf of the owner of `lock`. */
    async lock(
      actor: Actor,
      outs: readonly number[],
      how: { readonly lock: Lock; readonly locked: boolean; readonly force: boolean },
    ): Promise<void> {
      const before = core.matrix();
      const { matrix: next, changed } = setLocks(before, outs, how);
      const entries = changed.map((id) => {
        const output = existingOutput(before, id);
        const { lock: held } = output;
        const from = held !== null && held.owner !== how.lock.owner;
        return {
          ...{ action: how.locked ? 'ndiOutput.lock' : 'ndiOutput.unlock', subject: outputTitle(id, output) },
          changes: [
            ...(from ? [{ word: 'lockOf', value: held.owner } as const] : []),
            ...(how.lock.by === 'panel' ? [{ word: 'byPanel' } as const] : []),
          ],
        };
      });
      if (changed.length > 0) await core.commit(next, { actor, entries });
    },
    async close(): Promise<void> {
      watch.close();
      await core.close();
    },
  };
}

function definedOf<T extends object>(body: T): Partial<T> {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function outputChange(body: BodyOf<typeof ndiRouterApi.addOutput>) {
  const { name, label, group, 'failover-when-locked': failoverWhenLocked } = body;
  return { name, label, group, failoverWhenLocked };
}
