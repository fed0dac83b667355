import { expect, test } from 'bun:test';
import { seededRandom } from '../../../tests/support/seeded-random.ts';
import { HubError } from '../../lib/hub-error.ts';
import {
  byUser,
  findLoop,
  inputOf,
  type Lock,
  type Matrix,
  type Route,
  route,
  salvoOf,
  undoOutputs,
  undoSalvo,
  wantedSource,
} from './matrix.ts';
import { addOutput, delOutputs, newMatrix, resize, setBaseName, setInput, setLocks, setOutput } from './matrix-edit.ts';

const calm = { force: false, receivers: () => 0 };
const user: Lock = { by: 'user', userId: 7, owner: 'vera' };
const panel: Lock = { by: 'panel', userId: 0, owner: '192.0.2.9' };
const skip = { ...byUser, policy: 'skipLocked' } as const;

/** Inputs with these sources, from 1. */
function withSources(...sources: string[]): Matrix {
  const matrix = newMatrix('HUB', { inputs: 8, outputs: 4 });
  return sources.reduce((so, source, at) => setInput(so, at + 1, { source }, calm), matrix);
}
const slots = ({ outputs }: Matrix) => [...outputs.values()].map(({ slot }) => slot);
const reasons = (matrix: Matrix, ...routes: Route[]) =>
  route(matrix, routes, skip).answers.map(({ result, reason }) => reason ?? result);
const resultOf = (work: () => unknown): string => {
  try {
    work();
    return 'done';
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return [error.result, ...(error.fields ?? []).map(({ path, rule }) => `${path} ${rule}`)].join(' ');
  }
};

test('each output of a call has its own answer, and those that are not refused are routed', () => {
  const matrix = setLocks(withSources('CAM (1)', 'CAM (2)', 'HUB (Out 4)'), [2], {
    lock: user,
    locked: true,
    force: false,
  }).matrix;
  const routes = [
    { out: 1, in: 1 },
    { out: 2, in: 1 },
    { out: 3, in: 4 },
    { out: 4, in: 3 },
    { out: 5, in: 1 },
  ];
  const { matrix: next, answers } = route(matrix, routes, skip);
  expect(answers.map(({ result, reason }) => reason ?? result)).toEqual([
    'done',
    'locked',
    'emptyInput',
    'itself',
    'noOutput',
  ]);
  expect(answers[1]?.lock).toEqual(user);
  expect(slots(next)).toEqual([1, null, null, null]);
  expect(reasons(matrix, { out: 1, in: 9 })).toEqual(['noInput']);
  expect(reasons(matrix, { out: 1, in: null })).toEqual(['done']);
});

test('all or nothing routes nothing if one output is refused, and says which', () => {
  const matrix = setLocks(withSources('CAM (1)'), [2], { lock: user, locked: true, force: false }).matrix;
  const wish = [
    { out: 1, in: 1 },
    { out: 2, in: 1 },
  ];
  const { matrix: next, answers } = route(matrix, wish, { ...skip, policy: 'allOrNothing' });
  expect(next).toBe(matrix);
  expect(answers.map(({ reason }) => reason)).toEqual(['others', 'locked']);
});

test('a lock stops its owner too, except for a panel', () => {
  const matrix = setLocks(withSources('CAM (1)'), [1], { lock: panel, locked: true, force: false }).matrix;
  expect(reasons(matrix, { out: 1, in: 1 })).toEqual(['locked']);
  const passes = (lock: Lock) => lock.by === 'panel' && lock.owner === '192.0.2.9';
  expect(route(matrix, [{ out: 1, in: 1 }], { policy: 'skipLocked', passes }).answers[0]?.result).toBe('done');
});

test('routes that exchange two chained outputs in one step do not count as a loop, in any order', () => {
  const chained = withSources('CAM (1)', 'HUB (Out 1)', 'HUB (Out 2)');
  const start = route(
    chained,
    [
      { out: 1, in: 1 },
      { out: 2, in: 2 },
    ],
    skip,
  ).matrix;
  const exchange = [
    { out: 1, in: 3 },
    { out: 2, in: 1 },
  ];
  for (const routes of [exchange, exchange.toReversed()]) {
    expect(route(start, routes, skip).answers.map(({ result }) => result)).toEqual(['done', 'done']);
  }
  expect(reasons(start, { out: 1, in: 3 })).toEqual(['loop']);
  // Of two routes that make a loop together, the last is refused.
  expect(reasons(chained, { out: 1, in: 3 }, { out: 2, in: 2 })).toEqual(['done', 'loop']);
});

test('an edit that would close a loop is refused at its field', () => {
  const matrix = withSources('CAM (1)', 'HUB (Out 1)');
  const routed = route(
    matrix,
    [
      { out: 1, in: 1 },
      { out: 2, in: 2 },
    ],
    skip,
  ).matrix;
  expect(resultOf(() => setInput(routed, 1, { source: 'HUB (Out 2)' }, calm))).toBe('invalidArgument source loop');
});

test('an input that carries an own output follows its new name, and the new base name', () => {
  const matrix = withSources('CAM (1)', 'HUB (Out 1)');
  const renamed = setOutput(matrix, 1, { name: 'Program' }, calm);
  expect(inputOf(renamed, 2).source).toBe('HUB (Program)');
  expect(inputOf(setBaseName(renamed, 'stage', calm), 2).source).toBe('STAGE (Program)');
});

test('names, substitutes and removals that break a rule are refused', () => {
  const matrix = route(withSources('CAM (1)'), [{ out: 4, in: 1 }], skip).matrix;
  const watched = { force: false, receivers: (id: number) => Number(id === 2) };
  expect(resultOf(() => setOutput(matrix, 1, { name: 'Out 2' }, calm))).toBe('objectExists name exists');
  expect(resultOf(() => addOutput(matrix, { name: 'Out 2' }))).toBe('objectExists name exists');
  expect(resultOf(() => setInput(matrix, 1, { failover: 1 }, calm))).toBe('invalidArgument failover ownSubstitute');
  expect(resultOf(() => setInput(matrix, 1, { failover: 9 }, calm))).toBe('invalidArgument failover noSuchInput');
  expect(resultOf(() => setInput(matrix, 9, { label: 'A' }, calm))).toBe('notExist');
  expect(resultOf(() => setInput(matrix, 1, { source: null }, calm))).toBe('objectBusy');
  expect(resultOf(() => setOutput(matrix, 2, { name: 'A' }, watched))).toBe('objectBusy');
  expect(resultOf(() => setOutput(matrix, 2, { label: 'A' }, watched))).toBe('done');
  expect(resultOf(() => setBaseName(matrix, 'STAGE', watched))).toBe('objectBusy');
  expect(resultOf(() => setBaseName(matrix, 'hub', watched))).toBe('done');
  for (const id of [2, 4]) expect(resultOf(() => delOutputs(matrix, [id], watched))).toBe('dataLoss');
  expect(resultOf(() => delOutputs(matrix, [9], calm))).toBe('notExist');
  expect(resultOf(() => resize(matrix, { inputs: 8, outputs: 3 }, calm))).toBe('dataLoss');
  expect(resultOf(() => resize(matrix, { inputs: 8, outputs: 3 }, { ...calm, force: true }))).toBe('done');
});

test('an output takes the lowest free number, and the others keep theirs', () => {
  const matrix = delOutputs(newMatrix('HUB', { inputs: 2, outputs: 4 }), [2], calm);
  const { matrix: next, id } = addOutput(matrix, {});
  expect(id).toBe(2);
  expect(addOutput(next, {})).toMatchObject({ id: 5, matrix: { columns: 5 } });
  expect(matrix.outputs.get(3)?.name).toBe('Out 3');
});

test('a smaller matrix keeps numbers, and routes to removed inputs become none', () => {
  const sources = ['CAM (1)', 'CAM (2)', 'CAM (3)'];
  let matrix = setInput(withSources(...sources), 1, { failover: 3 }, calm);
  matrix = route(
    matrix,
    [
      { out: 1, in: 1 },
      { out: 2, in: 3 },
    ],
    skip,
  ).matrix;
  expect(resultOf(() => resize(matrix, { inputs: 2, outputs: 4 }, calm))).toBe('dataLoss');
  const small = resize(matrix, { inputs: 2, outputs: 4 }, { ...calm, force: true });
  expect(slots(small)).toEqual([1, null, null, null]);
  expect(inputOf(small, 1)).toMatchObject({ source: 'CAM (1)', failover: null });
  const large = resize(small, { inputs: 256, outputs: 128 }, calm);
  expect([large.outputs.size, large.outputs.get(128)?.name]).toEqual([128, 'Out 128']);
});

test('locks have owners: others need force, and the owner does not', () => {
  const matrix = newMatrix('HUB', { inputs: 2, outputs: 2 });
  const held = setLocks(matrix, [1, 2], { lock: user, locked: true, force: false });
  expect(held.changed).toEqual([1, 2]);
  const other = { lock: { ...user, userId: 8, owner: 'omar' }, locked: false };
  expect(resultOf(() => setLocks(held.matrix, [1], { ...other, force: false }))).toBe('objectBusy');
  expect(setLocks(held.matrix, [1], { ...other, force: true }).changed).toEqual([1]);
  expect(
    setLocks(held.matrix, [1], { lock: user, locked: false, force: false }).matrix.outputs.get(1)?.lock,
  ).toBeNull();
  // A deleted user's number goes to the next one.
  const next = { lock: { ...user, owner: 'nina' }, locked: false, force: false };
  expect(resultOf(() => setLocks(held.matrix, [1], next))).toBe('objectBusy');
});

test('undo returns an output to the input before its last route, once', () => {
  const matrix = withSources('CAM (1)', 'CAM (2)');
  const twice = [1, 2].reduce((so, slot) => route(so, [{ out: 1, in: slot }], skip).matrix, matrix);
  const back = undoOutputs(twice, [1, 2]);
  expect(slots(back.matrix)).toEqual([1, null, null, null]);
  expect(back.answers.map(({ result, reason }) => reason ?? result)).toEqual(['done', 'nothingToUndo']);
  expect(undoOutputs(back.matrix, [1]).answers[0]?.reason).toBe('nothingToUndo');
});

test('undo of a salvo leaves outputs that were routed since', () => {
  const before = withSources('CAM (1)', 'CAM (2)');
  const routes = [1, 2, 3].map((out) => ({ out, in: 1 }));
  const routed = route(before, routes, skip).matrix;
  const lastSalvo = salvoOf(before, routed, routes, { name: 'Show', by: 'vera', time: 5 });
  const since = route({ ...routed, lastSalvo }, [{ out: 2, in: 2 }], skip).matrix;
  const { matrix, answers } = undoSalvo(since);
  expect(slots(matrix)).toEqual([null, 2, null, null]);
  expect(answers.map(({ result, reason }) => reason ?? result)).toEqual(['done', 'nothingToUndo', 'done']);
  expect(matrix.lastSalvo).toBeNull();
});

/** Does one random thing; returns the state before if it was refused. */
function step(matrix: Matrix, pick: (below: number) => number): Matrix {
  const out = 1 + pick(8);
  const slot = 1 + pick(8);
  const forced = { force: pick(2) === 0, receivers: (id: number) => id % 3 };
  const own = `HUB (Out ${1 + pick(6)})`;
  const lock = pick(2) === 0 ? user : panel;
  const acts: (() => Matrix)[] = [
    () => setInput(matrix, slot, { source: [null, 'CAM (1)', 'CAM (2)', own][pick(4)] ?? null }, forced),
    () => setInput(matrix, slot, { failover: pick(3) === 0 ? null : 1 + pick(8) }, forced),
    () => addOutput(matrix, {}).matrix,
    () => setOutput(matrix, out, { name: `Out ${1 + pick(9)}` }, forced),
    () => delOutputs(matrix, [out], forced),
    () => resize(matrix, { inputs: 3 + pick(8), outputs: 2 + pick(7) }, forced),
    () => setLocks(matrix, [out], { lock, locked: pick(2) === 0, force: forced.force }).matrix,
    () => undoOutputs(matrix, [out]).matrix,
    () => undoSalvo(matrix).matrix,
  ];
  try {
    return acts[pick(acts.length)]?.() ?? matrix;
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return matrix;
  }
}

function checkInvariants(before: Matrix, after: Matrix): void {
  expect(findLoop(after)).toBeUndefined();
  for (const [id, { slot, previous, name }] of after.outputs) {
    expect(id).toBeLessThanOrEqual(after.columns);
    for (const one of [slot, previous]) if (typeof one === 'number') expect(one).toBeLessThanOrEqual(after.inputCount);
    expect([...after.outputs.values()].filter((other) => other.name === name)).toHaveLength(1);
  }
  for (const [id, { failover }] of after.inputs) {
    expect(id).toBeLessThanOrEqual(after.inputCount);
    if (failover !== null) expect(failover).toBeLessThanOrEqual(after.inputCount);
  }
  expect(before.inputs === after.inputs || before !== after).toBe(true);
}

test('whatever is done in whatever order, no loop arises, numbers stay, and locked outputs keep their route', () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const next = seededRandom(seed);
    const pick = (below: number) => Math.floor(next() * below);
    let matrix = newMatrix('HUB', { inputs: 6, outputs: 6 });
    for (let count = 0; count < 120; count += 1) {
      const before = matrix;
      if (pick(2) === 0) {
        matrix = step(before, pick);
      } else {
        const outs = [...new Set([1 + pick(8), 1 + pick(8), 1 + pick(8)])];
        const routes = outs.map((out) => ({ out, in: pick(4) === 0 ? null : 1 + pick(9) }));
        const { matrix: after, answers } = route(before, routes, {
          ...{ policy: pick(2) === 0 ? 'skipLocked' : 'allOrNothing', passes: ({ by }) => by === 'panel' },
        });
        expect(answers.map(({ out }) => out)).toEqual(outs);
        const done = new Map(
          answers.flatMap(({ out, result }, at) => (result === 'done' ? [[out, routes[at]?.in]] : [])),
        );
        for (const [id, output] of after.outputs) {
          const was = before.outputs.get(id);
          expect(output.slot).toBe(done.has(id) ? (done.get(id) as number | null) : (was?.slot ?? null));
          if (done.has(id)) expect(was?.lock?.by).not.toBe('user');
          if (output.slot !== null && done.has(id)) expect(wantedSource(after, output)).not.toBeNull();
        }
        matrix = after;
      }
      checkInvariants(before, matrix);
    }
  }
});
