/** Edits of the matrix: inputs, outputs, size, locks. Throws HubError for edits that break a rule. */
import { limits } from '../../contract/limits.ts';
import { fullNdiName } from '../../contract/ndi-router-words.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import { nameTaken, notExist, tooMany } from '../../lib/refusals.ts';
import { findLoop, inputOf, type Lock, type Matrix, type MatrixInput, type MatrixOutput } from './matrix.ts';

/** The members to change; the others stay. */
type Change<T> = { readonly [N in keyof T]?: T[N] | undefined };
/** Number of receivers that are connected to an output. */
type Receivers = (id: number) => number;
export interface Forced {
  readonly force: boolean;
  readonly receivers: Receivers;
}

export type InputChange = Change<MatrixInput>;
export type OutputChange = Change<Pick<MatrixOutput, 'name' | 'label' | 'group' | 'failoverWhenLocked'>>;

export function given<T extends object>(change: Change<T>): Partial<T> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** Throws `notExist` if there is no such output. */
export function existingOutput(matrix: Matrix, id: number): MatrixOutput {
  const output = matrix.outputs.get(id);
  if (output === undefined) throw notExist('output', id);
  return output;
}

export const outputTitle = (id: number, { label, name }: Pick<MatrixOutput, 'label' | 'name'>): string =>
  `${id} ${label || name}`;
export const inputTitle = (id: number, { label, source }: Pick<MatrixInput, 'label' | 'source'>): string =>
  [`${id}`, label || source].filter(Boolean).join(' ');

/** The lowest number without a source; throws `tooMany` if all inputs are in use. */
export function freeInput(matrix: Matrix): number {
  for (let id = 1; id <= matrix.inputCount; id += 1) if (inputOf(matrix, id).source === null) return id;
  throw tooMany('inputs', matrix.inputCount);
}

export function setInput(matrix: Matrix, id: number, change: InputChange, { force }: Pick<Forced, 'force'>): Matrix {
  if (id > matrix.inputCount) throw notExist('input', id);
  const before = inputOf(matrix, id);
  const input: MatrixInput = { ...before, ...given<MatrixInput>(change) };
  if (input.failover === id) throw fieldError('failover', 'ownSubstitute', 'an input cannot be its own substitute');
  if (input.failover !== null && input.failover > matrix.inputCount) {
    throw fieldError('failover', 'noSuchInput', `there is no input ${input.failover}`);
  }
  const users = [...matrix.outputs].filter(([, { slot }]) => slot === id);
  if (input.source === null && before.source !== null && users.length > 0 && !force) {
    const by = users.map(([number, output]) => outputTitle(number, output));
    throw new HubError('objectBusy', `outputs are routed to input ${id}: ${by.slice(0, 10).join(', ')}`, {
      params: { what: inputTitle(id, before), by: by.slice(0, 10).join(', ') },
    });
  }
  const next = { ...matrix, inputs: new Map(matrix.inputs).set(id, input) };
  refuseLoop(next, 'source');
  return next;
}

function refuseLoop(matrix: Matrix, field: string): void {
  const loop = findLoop(matrix);
  if (loop === undefined) return;
  throw fieldError(field, 'loop', `outputs would form a loop: ${loop.join(', ')}`);
}

/** Throws `objectBusy` for outputs that would get another name while receivers are connected. */
function refuseRename(matrix: Matrix, ids: readonly number[], { force, receivers }: Forced): void {
  const watched = ids.filter((id) => receivers(id) > 0);
  if (force || watched.length === 0) return;
  const by = watched.map((id) => outputTitle(id, existingOutput(matrix, id)));
  throw new HubError('objectBusy', `receivers are connected to ${by.slice(0, 10).join(', ')}`, {
    params: { what: 'NDI', by: by.slice(0, 10).join(', ') },
  });
}

/** Renames the sources of inputs that have a renamed output of this router as their source. */
function followed(before: Matrix, after: Matrix): Matrix {
  const renamed = new Map<string, string>();
  for (const [id, { name }] of before.outputs) {
    const output = after.outputs.get(id);
    if (output) renamed.set(fullNdiName(before.baseName, name), fullNdiName(after.baseName, output.name));
  }
  const inputs = new Map(after.inputs);
  for (const [id, input] of inputs) {
    const source = renamed.get(input.source ?? '');
    if (source !== undefined && source !== input.source) inputs.set(id, { ...input, source });
  }
  return { ...after, inputs };
}

export function setBaseName(matrix: Matrix, baseName: string, forced: Forced): Matrix {
  if (baseName === matrix.baseName) return matrix;
  if (baseName.toUpperCase() !== matrix.baseName.toUpperCase()) {
    refuseRename(matrix, [...matrix.outputs.keys()], forced);
  }
  const next = followed(matrix, { ...matrix, baseName });
  refuseLoop(next, 'base-name');
  return next;
}

const defaultOutput = (id: number): MatrixOutput => ({
  ...{ name: `Out ${id}`, label: '', group: '', failoverWhenLocked: false },
  ...{ slot: null, previous: undefined, lock: null, substitute: null },
});

function refuseTakenName(matrix: Matrix, name: string, self: number): void {
  const isTaken = [...matrix.outputs].some(([id, other]) => id !== self && other.name === name);
  if (isTaken) throw nameTaken(name);
}

/** A name for the output that no other has: `Out 5`, or `Out 5 (2)` and so on. */
function freeName(matrix: Matrix, id: number): string {
  const names = new Set([...matrix.outputs.values()].map(({ name }) => name));
  const { name } = defaultOutput(id);
  for (let n = 2, next = name; ; n += 1) {
    if (!names.has(next)) return next;
    next = `${name} (${n})`;
  }
}

function withNew(matrix: Matrix, id: number, change: OutputChange): Matrix {
  const output = { ...defaultOutput(id), ...given<MatrixOutput>(change) };
  return { ...matrix, outputs: new Map(matrix.outputs).set(id, output) };
}

/** Takes the lowest free number. */
export function addOutput(matrix: Matrix, change: OutputChange): { readonly matrix: Matrix; readonly id: number } {
  let id = 1;
  while (matrix.outputs.has(id)) id += 1;
  if (id > limits.ndiRouter.outputs.max) throw tooMany('outputs', limits.ndiRouter.outputs.max);
  const name = change.name ?? freeName(matrix, id);
  refuseTakenName(matrix, name, id);
  const next = withNew(matrix, id, { ...change, name });
  refuseLoop(next, 'name');
  return { matrix: { ...next, columns: Math.max(matrix.columns, id) }, id };
}

export function setOutput(matrix: Matrix, id: number, change: OutputChange, forced: Forced): Matrix {
  const before = existingOutput(matrix, id);
  const output: MatrixOutput = { ...before, ...given<MatrixOutput>(change) };
  if (output.name !== before.name) refuseTakenName(matrix, output.name, id);
  // Receivers find an output by its name and group.
  if (output.name !== before.name || output.group !== before.group) refuseRename(matrix, [id], forced);
  const next = followed(matrix, { ...matrix, outputs: new Map(matrix.outputs).set(id, output) });
  refuseLoop(next, 'name');
  return next;
}

/** Why removing an output needs `force`. */
function isInUse({ slot, lock }: MatrixOutput, receivers: number): boolean {
  return slot !== null || lock !== null || receivers > 0;
}

function refuseLoss(what: string, lost: readonly string[], force: boolean): void {
  if (force || lost.length === 0) return;
  const by = lost.slice(0, 10).join(', ');
  throw new HubError('dataLoss', `${what} in use would be removed: ${by}`, { params: { what, by } });
}

export function delOutputs(matrix: Matrix, ids: readonly number[], { force, receivers }: Forced): Matrix {
  const gone = ids.map((id) => [id, existingOutput(matrix, id)] as const);
  const used = gone.filter(([id, output]) => isInUse(output, receivers(id)));
  refuseLoss(
    'outputs',
    used.map(([id, output]) => outputTitle(id, output)),
    force,
  );
  const outputs = new Map(matrix.outputs);
  for (const id of ids) outputs.delete(id);
  return { ...matrix, outputs };
}

interface Size {
  readonly inputs: number;
  readonly outputs: number;
}

/** A larger size adds outputs for the new numbers; a smaller one removes inputs and outputs with higher numbers. */
export function resize(matrix: Matrix, size: Size, forced: Forced): Matrix {
  const lost = [...matrix.inputs].filter(([id, { source }]) => id > size.inputs && source !== null);
  refuseLoss(
    'inputs',
    lost.map(([id, input]) => inputTitle(id, input)),
    forced.force,
  );
  const beyond = [...matrix.outputs.keys()].filter((id) => id > size.outputs);
  let next = delOutputs(matrix, beyond, forced);
  for (let id = matrix.columns + 1; id <= size.outputs; id += 1) next = withNew(next, id, { name: freeName(next, id) });
  const isKept = (slot: number | null | undefined) => typeof slot !== 'number' || slot <= size.inputs;
  const inputs = new Map([...next.inputs].filter(([id]) => id <= size.inputs));
  for (const [id, input] of inputs) if (!isKept(input.failover)) inputs.set(id, { ...input, failover: null });
  const outputs = new Map(next.outputs);
  for (const [id, output] of outputs) {
    const { slot, previous, substitute } = output;
    if (isKept(slot) && isKept(previous) && isKept(substitute)) continue;
    outputs.set(id, {
      ...output,
      slot: isKept(slot) ? slot : null,
      previous: isKept(previous) ? previous : undefined,
      substitute: isKept(slot) && isKept(substitute) ? substitute : null,
    });
  }
  const sized = { ...next, inputs, outputs, inputCount: size.inputs, columns: size.outputs };
  refuseLoop(sized, 'outputs');
  return sized;
}

/** Returns a matrix with this many empty inputs and unrouted outputs. */
export function newMatrix(baseName: string, { inputs, outputs }: Size): Matrix {
  const none: Matrix = {
    ...{ baseName, inputCount: inputs, columns: 0, autoFill: false },
    ...{ inputs: new Map(), outputs: new Map(), lastSalvo: null },
  };
  return resize(none, { inputs, outputs }, { force: false, receivers: () => 0 });
}

/** Compares the name, too, because a new user may get the id of a deleted one. */
const isSame = (one: Lock, other: Lock): boolean =>
  one.by === other.by && one.userId === other.userId && one.owner === other.owner;

/** `force` takes over or removes the lock of another owner. Returns the outputs whose lock changed. */
export function setLocks(
  matrix: Matrix,
  ids: readonly number[],
  { lock, locked, force }: { readonly lock: Lock; readonly locked: boolean; readonly force: boolean },
): { readonly matrix: Matrix; readonly changed: readonly number[] } {
  const outputs = new Map(matrix.outputs);
  const changed: number[] = [];
  for (const id of new Set(ids)) {
    const output = existingOutput(matrix, id);
    const { lock: held } = output;
    if (held !== null && !isSame(held, lock) && !force) {
      throw new HubError('objectBusy', `'${outputTitle(id, output)}' is locked by '${held.owner}'`, {
        params: { what: outputTitle(id, output), by: held.owner },
      });
    }
    const next = locked ? lock : null;
    if (held === null ? next === null : next !== null && isSame(held, next)) continue;
    outputs.set(id, { ...output, lock: next });
    changed.push(id);
  }
  return { matrix: { ...matrix, outputs }, changed };
}
