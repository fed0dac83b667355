import { expect, test } from 'bun:test';
import { dueSwitches, type Presence, withSwitches } from './failover.ts';
import { byUser, type Matrix, route } from './matrix.ts';
import { newMatrix, setInput, setLocks, setOutput } from './matrix-edit.ts';

const calm = { force: false, receivers: () => 0 };
const times = { lostMs: 2000, backMs: 5000 };

/** Output 1 has input 1, whose substitute is input 2. */
function protectedMatrix(): Matrix {
  let matrix = newMatrix('HUB', { inputs: 4, outputs: 4 });
  matrix = setInput(matrix, 1, { source: 'CAM (1)', failover: 2 }, calm);
  matrix = setInput(matrix, 2, { source: 'CAM (2)' }, calm);
  return route(matrix, [{ out: 1, in: 1 }], { ...byUser, policy: 'skipLocked' }).matrix;
}

function due(matrix: Matrix, now: number, presence: Record<string, Presence>, unarmed: readonly number[] = []) {
  return dueSwitches(matrix, {
    ...{ now, times, isArmed: (out) => !unarmed.includes(out) },
    presence: (source) => presence[source] ?? { online: false, since: 0 },
  });
}
const there = { online: true, since: 0 };

test('an output switches two seconds after its source vanished, and returns when it is back for five', () => {
  const matrix = protectedMatrix();
  const lost = { 'CAM (1)': { online: false, since: 1000 }, 'CAM (2)': there };
  expect(due(matrix, 2999, lost)).toEqual({ switches: [], nextAt: 3000 });
  const { switches } = due(matrix, 3000, lost);
  expect(switches).toEqual([{ out: 1, substitute: 2 }]);
  const switched = withSwitches(matrix, switches);
  expect(due(switched, 9000, lost)).toEqual({ switches: [], nextAt: undefined });
  const back = { 'CAM (1)': { online: true, since: 10_000 }, 'CAM (2)': there };
  expect(due(switched, 14_999, back)).toEqual({ switches: [], nextAt: 15_000 });
  expect(due(switched, 15_000, back).switches).toEqual([{ out: 1, substitute: null }]);
});

test('nothing switches to a substitute that is away, or for an output that was routed to a source that was away', () => {
  const matrix = protectedMatrix();
  expect(due(matrix, 60_000, {})).toEqual({ switches: [], nextAt: undefined });
  expect(due(matrix, 60_000, { 'CAM (2)': there }, [1]).switches).toEqual([]);
  expect(due(matrix, 60_000, { 'CAM (2)': there }).switches).toHaveLength(1);
});

test('a lock stops failover, unless the output allows it', () => {
  const lock = { by: 'user', userId: 7, owner: 'vera' } as const;
  const locked = setLocks(protectedMatrix(), [1], { lock, locked: true, force: false }).matrix;
  const lost = { 'CAM (2)': there };
  expect(due(locked, 60_000, lost).switches).toEqual([]);
  const allowed = setOutput(locked, 1, { failoverWhenLocked: true }, calm);
  expect(due(allowed, 60_000, lost).switches).toEqual([{ out: 1, substitute: 2 }]);
});

test('an output returns at once when its input has no substitute any more, or no source', () => {
  const switched = withSwitches(protectedMatrix(), [{ out: 1, substitute: 2 }]);
  const back = [{ out: 1, substitute: null }];
  expect(due(setInput(switched, 1, { failover: null }, calm), 0, {}).switches).toEqual(back);
  expect(due(setInput(switched, 1, { source: null }, { force: true }), 0, {}).switches).toEqual(back);
  expect(due(setInput(switched, 1, { failover: 3 }, calm), 0, {}).switches).toEqual(back);
});

test('a substitute that would close a loop is not used', () => {
  let matrix = setInput(protectedMatrix(), 2, { source: 'HUB (Out 2)' }, calm);
  matrix = setInput(matrix, 3, { source: 'HUB (Out 1)' }, calm);
  matrix = route(matrix, [{ out: 2, in: 3 }], { ...byUser, policy: 'skipLocked' }).matrix;
  expect(due(matrix, 60_000, { 'HUB (Out 2)': there }).switches).toEqual([]);
});

test('an operator who routes the output ends the failover', () => {
  const switched = withSwitches(protectedMatrix(), [{ out: 1, substitute: 2 }]);
  const { matrix } = route(switched, [{ out: 1, in: 1 }], { ...byUser, policy: 'skipLocked' });
  expect(matrix.outputs.get(1)).toMatchObject({ slot: 1, substitute: null });
});
