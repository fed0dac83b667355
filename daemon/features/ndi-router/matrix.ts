/** The matrix as a value: inputs, outputs, and how routes change it. The library checks none of the rules here. */
import {
  fullNdiName,
  type LockKind,
  type RouteOutcome,
  type RouteReason,
  type SalvoPolicy,
} from '../../contract/ndi-router-words.ts';

export interface MatrixInput {
  readonly label: string;
  /** Name of the source on the network; null: the input is empty. */
  readonly source: string | null;
  readonly group: string;
  readonly address: string;
  /** The input that takes its place while its source is away. */
  readonly failover: number | null;
}

export interface Lock {
  readonly by: LockKind;
  /** Of the user; 0 for a panel. */
  readonly userId: number;
  /** Name of the user, address of the panel. */
  readonly owner: string;
}

export interface MatrixOutput {
  readonly name: string;
  readonly label: string;
  readonly group: string;
  readonly failoverWhenLocked: boolean;
  /** The input that it is routed to. */
  readonly slot: number | null;
  /** The input before the last route; undefined if there is nothing to undo. */
  readonly previous: number | null | undefined;
  readonly lock: Lock | null;
  /** The input whose source it has instead, while failover has switched it. Not stored. */
  readonly substitute: number | null;
}

/** A call that routed several outputs: what it changed. */
export interface LastSalvo {
  readonly name: string;
  readonly by: string;
  readonly time: number;
  readonly changes: readonly { readonly out: number; readonly from: number | null; readonly to: number | null }[];
}

export interface Matrix {
  readonly baseName: string;
  /** Inputs have the numbers 1 to this one. Those without an entry are empty. */
  readonly inputCount: number;
  /** Outputs have numbers up to this one; not every number has an output. */
  readonly columns: number;
  readonly autoFill: boolean;
  readonly inputs: ReadonlyMap<number, MatrixInput>;
  readonly outputs: ReadonlyMap<number, MatrixOutput>;
  readonly lastSalvo: LastSalvo | null;
}

export interface Route {
  readonly out: number;
  readonly in: number | null;
}

export interface RouteAnswer {
  readonly out: number;
  readonly result: RouteOutcome;
  readonly reason?: RouteReason;
  /** With `locked`. */
  readonly lock?: Lock;
}

export interface RouteOptions {
  readonly policy: SalvoPolicy;
  /** Whether the caller may route despite this lock: panels may route outputs that they have locked. */
  readonly passes: (lock: Lock) => boolean;
  /** If present, routes to sources that are offline are refused. */
  readonly isOnline?: (source: string) => boolean;
}

/** Users cannot route a locked output, not even the owner of the lock. */
export const byUser: Pick<RouteOptions, 'passes'> = { passes: () => false };

export const emptyInput: MatrixInput = { label: '', source: null, group: '', address: '', failover: null };

export function inputOf(matrix: Matrix, id: number): MatrixInput {
  return matrix.inputs.get(id) ?? emptyInput;
}

const sourceOf = (matrix: Matrix, slot: number | null): string | null =>
  slot === null ? null : inputOf(matrix, slot).source;

/** The source that an output should have: that of its input, or of the substitute during a failover. */
export function wantedSource(matrix: Matrix, { slot, substitute }: MatrixOutput): string | null {
  return sourceOf(matrix, substitute ?? slot);
}

/** Numbers of the outputs by their names on the network. */
function ownOutputs(matrix: Matrix): Map<string, number> {
  return new Map([...matrix.outputs].map(([id, { name }]) => [fullNdiName(matrix.baseName, name), id]));
}

/**
 * Returns the outputs of a loop, in which each output has the next one as its source; undefined if there is none. The
 * input of an output counts even during a failover, because the output may return to it at any time.
 */
export function findLoop(matrix: Matrix): readonly number[] | undefined {
  const own = ownOutputs(matrix);
  const inputsOf = (id: number): number[] => {
    const output = matrix.outputs.get(id);
    if (output === undefined) return [];
    return [output.slot, output.substitute].flatMap((slot) => {
      const feeding = own.get(sourceOf(matrix, slot) ?? '');
      return feeding === undefined ? [] : [feeding];
    });
  };
  const done = new Set<number>();
  const path: number[] = [];
  const visit = (id: number): readonly number[] | undefined => {
    const at = path.indexOf(id);
    if (at >= 0) return path.slice(at);
    if (done.has(id)) return undefined;
    path.push(id);
    for (const feeding of inputsOf(id)) {
      const loop = visit(feeding);
      if (loop) return loop;
    }
    path.pop();
    done.add(id);
    return undefined;
  };
  for (const id of matrix.outputs.keys()) {
    const loop = visit(id);
    if (loop) return loop;
  }
  return undefined;
}

/** Returns why a route is refused regardless of the other routes of the call; undefined if it is not. */
function faultOf(
  matrix: Matrix,
  { out, in: slot }: Route,
  options: RouteOptions,
): Omit<RouteAnswer, 'out'> | undefined {
  const refused = (reason: RouteReason) => ({ result: 'refused', reason }) as const;
  const output = matrix.outputs.get(out);
  if (output === undefined) return refused('noOutput');
  if (slot !== null) {
    if (slot < 1 || slot > matrix.inputCount) return refused('noInput');
    const { source } = inputOf(matrix, slot);
    if (source === null) return refused('emptyInput');
    if (source === fullNdiName(matrix.baseName, output.name)) return refused('itself');
    if (options.isOnline?.(source) === false) return refused('offline');
  }
  const { lock } = output;
  return lock === null || options.passes(lock) ? undefined : { result: 'skipped', reason: 'locked', lock };
}

function withRoutes(matrix: Matrix, routes: readonly Route[]): Matrix {
  const outputs = new Map(matrix.outputs);
  for (const { out, in: slot } of routes) {
    const output = outputs.get(out);
    if (output === undefined) continue;
    // Routing to the present input is not a change to undo, but it ends a failover.
    const previous = slot === output.slot ? output.previous : output.slot;
    outputs.set(out, { ...output, slot, previous, substitute: null });
  }
  return { ...matrix, outputs };
}

/**
 * Routes outputs as one step: it checks the resulting state for loops, so that the order of routes does not matter.
 * Returns the resulting state and an answer for each route, in the same order.
 */
export function route(
  matrix: Matrix,
  routes: readonly Route[],
  options: RouteOptions,
): { readonly matrix: Matrix; readonly answers: readonly RouteAnswer[] } {
  const faults = new Map<number, Omit<RouteAnswer, 'out'>>();
  for (const [at, one] of routes.entries()) {
    const fault = faultOf(matrix, one, options);
    if (fault) faults.set(at, fault);
  }
  let accepted = routes.filter((_, at) => !faults.has(at));
  let next = withRoutes(matrix, accepted);
  // The state before has no loop, so each loop has an output that is routed now: the last of them is refused.
  for (let loop = findLoop(next); loop !== undefined; loop = findLoop(next)) {
    const last = routes.findLastIndex(({ out }, at) => !faults.has(at) && loop?.includes(out));
    if (last < 0) throw new Error('the matrix had a loop before');
    faults.set(last, { result: 'refused', reason: 'loop' });
    accepted = routes.filter((_, at) => !faults.has(at));
    next = withRoutes(matrix, accepted);
  }
  if (options.policy === 'allOrNothing' && faults.size > 0) {
    const others = { result: 'skipped', reason: 'others' } as const;
    return { matrix, answers: routes.map(({ out }, at) => ({ out, ...(faults.get(at) ?? others) })) };
  }
  const answers = routes.map(({ out }, at) => ({ out, ...(faults.get(at) ?? ({ result: 'done' } as const)) }));
  return { matrix: next, answers };
}

/** Returns what a call changed, for an undo; null if it changed nothing. */
export function salvoOf(
  before: Matrix,
  after: Matrix,
  routes: readonly Route[],
  by: Pick<LastSalvo, 'name' | 'by' | 'time'>,
): LastSalvo | null {
  const changes = routes.flatMap(({ out }) => {
    const [was, is] = [before.outputs.get(out), after.outputs.get(out)];
    return was === undefined || is === undefined || was.slot === is.slot ? [] : [{ out, from: was.slot, to: is.slot }];
  });
  return changes.length === 0 ? null : { ...by, changes };
}

/** Returns outputs to the input before their last route. */
export function undoOutputs(matrix: Matrix, outs: readonly number[]): ReturnType<typeof route> {
  const routes = outs.map((out) => ({ out, back: matrix.outputs.get(out)?.previous }));
  return undone(matrix, routes);
}

/** Returns the outputs of the last salvo to the inputs before it, except those that were routed since. */
export function undoSalvo(matrix: Matrix): ReturnType<typeof route> {
  const { changes } = matrix.lastSalvo ?? { changes: [] };
  const routes = changes.map(({ out, from, to }) => ({
    out,
    back: matrix.outputs.get(out)?.slot === to ? from : undefined,
  }));
  const { matrix: next, answers } = undone(matrix, routes);
  return { matrix: { ...next, lastSalvo: null }, answers };
}

function undone(
  matrix: Matrix,
  routes: readonly { readonly out: number; readonly back: number | null | undefined }[],
): ReturnType<typeof route> {
  const nothing = ({ out }: { readonly out: number }): RouteAnswer => ({
    ...{ out, result: 'refused' },
    reason: matrix.outputs.has(out) ? 'nothingToUndo' : 'noOutput',
  });
  const possible = routes.flatMap(({ out, back }) => (back === undefined ? [] : [{ out, in: back }]));
  const { matrix: next, answers } = route(matrix, possible, { ...byUser, policy: 'skipLocked' });
  const outputs = new Map(next.outputs);
  for (const { out, result } of answers) {
    const output = outputs.get(out);
    if (output && result === 'done') outputs.set(out, { ...output, previous: undefined });
  }
  const answer = new Map(answers.map((one) => [one.out, one]));
  return { matrix: { ...next, outputs }, answers: routes.map((one) => answer.get(one.out) ?? nothing(one)) };
}
