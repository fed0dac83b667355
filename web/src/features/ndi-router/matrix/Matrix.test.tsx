import { beforeEach, expect, mock, test } from 'bun:test';
import { act, fireEvent, waitFor } from '@testing-library/react';
import { useEffect, useState } from 'react';
import type { NdiInput, NdiOutput } from '../../../../../daemon/contract/ndi-router.ts';
import { renderPage } from '../../../ui/render-for-test.tsx';
import { axisOf } from './axis.ts';
import { Matrix, type MatrixProps } from './Matrix.tsx';

const input = (id: number, changed: Partial<NdiInput> = {}): NdiInput => ({
  ...{ id, revision: 1, label: `Cam ${id}`, source: `STUDIO (Camera ${id})`, group: '', address: '' },
  ...{ failover: null, online: true },
  ...changed,
});
const output = (id: number, changed: Partial<NdiOutput> = {}): NdiOutput => ({
  ...{ id, revision: 1, name: `Out ${id}`, label: '', group: '', 'failover-when-locked': false },
  ...{ 'full-name': `HUB (Out ${id})`, in: null, substitute: null, source: null, 'applied-source': null },
  ...{ applied: true, waiting: false, receivers: 0, lock: null },
  ...changed,
});
const byId = <T extends { readonly id: number }>(list: readonly T[]) => new Map(list.map((one) => [one.id, one]));

const acts = {
  ...{ route: mock(), lock: mock(), undo: mock(), take: mock(), fold: mock() },
  ...{ openOutput: mock(), openInput: mock() },
};
beforeEach(() => {
  for (const one of Object.values(acts)) one.mockClear();
});

interface Shown {
  readonly inputs?: readonly NdiInput[];
  readonly outputs?: readonly NdiOutput[];
  readonly asked?: MatrixProps['asked'];
}

const words = (group: string) => ({ group, words: '' });

function propsOf({ inputs = [input(1), input(2)], outputs = [output(1), output(2)], asked = new Map() }: Shown) {
  const open = { folded: new Set<string>(), filter: '' };
  return {
    ...{ label: 'Crosspoints', describedBy: 'keys', isReadOnly: false, acts, asked, staged: new Map() },
    ...{ inputs: byId(inputs), outputs: byId(outputs) },
    rows: axisOf(
      outputs.map(({ id, group }) => ({ id, ...words(group) })),
      { ...open, hasNone: false, hasHeadings: true },
    ),
    columns: axisOf(
      inputs.map(({ id, group }) => ({ id, ...words(group) })),
      { ...open, hasNone: true, hasHeadings: false },
    ),
  };
}

let set: (next: Shown) => void = () => {};

function Shown({ first }: { first: Shown }) {
  const [shown, setShown] = useState(first);
  useEffect(() => {
    set = setShown;
  }, []);
  return <Matrix {...propsOf(shown)} />;
}

/** `change` shows something else in the same matrix. */
function show(first: Shown = {}) {
  const page = renderPage(<Shown first={first} />);
  const grid = page.getByRole('grid', { name: 'Crosspoints' });
  const press = (key: string, held = {}) => fireEvent.keyDown(grid, { key, ...held });
  const active = () => document.getElementById(grid.getAttribute('aria-activedescendant') ?? '');
  return { ...page, grid, press, active, change: (next: Shown) => act(() => set(next)) };
}

test('the grid is one stop of Tab, and says how large it is and what is active', () => {
  const { grid, active } = show();
  expect(grid.tabIndex).toBe(0);
  expect(document.querySelectorAll('[tabindex="0"]')).toHaveLength(1);
  expect(grid.getAttribute('aria-rowcount')).toBe('3');
  expect(grid.getAttribute('aria-colcount')).toBe('4');
  expect(active()?.getAttribute('aria-label')).toBe('None to Out 1: Routed');
});

test('arrows lead to a crosspoint, which Enter and the space bar route, and Delete clears its output', () => {
  const { press, active } = show();
  press('ArrowRight');
  press('ArrowRight');
  press('ArrowDown');
  expect(active()?.getAttribute('aria-label')).toBe('Cam 2 to Out 2: Not routed');
  press('Enter');
  press(' ');
  expect(acts.route.mock.calls).toEqual([
    [2, 2],
    [2, 2],
  ]);
  press('Delete');
  expect(acts.route.mock.lastCall).toEqual([2, null]);
});

test('only the active crosspoint has a name of its own', () => {
  const { press } = show();
  press('ArrowRight');
  expect(document.querySelectorAll('[role="gridcell"][aria-label]')).toHaveLength(1);
});

test('further keys lock, undo and take', () => {
  const { press } = show();
  press('l');
  expect(acts.lock.mock.lastCall).toEqual([1]);
  press('U', { shiftKey: true });
  expect(acts.undo).toHaveBeenCalledTimes(1);
  press('Enter', { ctrlKey: true });
  expect(acts.take).toHaveBeenCalledTimes(1);
  expect(acts.route).not.toHaveBeenCalled();
});

test('the heads are reached by arrows and lead to what they name', () => {
  const { press, active } = show();
  press('ArrowLeft');
  expect(active()?.getAttribute('role')).toBe('rowheader');
  press('Enter');
  expect(acts.openOutput.mock.lastCall).toEqual([1]);
  press('Home');
  press('ArrowRight');
  press('ArrowUp');
  expect(active()?.getAttribute('role')).toBe('columnheader');
  press('Enter');
  expect(acts.openInput.mock.lastCall).toEqual([1]);
});

test('a click routes, without a button for each crosspoint', () => {
  const { container } = show();
  const cell = container.querySelector('[data-row="1"] [role="gridcell"][data-column="2"]');
  fireEvent.click(cell!);
  expect(acts.route.mock.calls).toEqual([[2, 2]]);
});

test('a key acts on the output that the user sees as active, also after others were added before it', () => {
  const { press, active, change } = show({ outputs: [output(2), output(3)], inputs: [input(2), input(3)] });
  press('ArrowDown');
  press('ArrowRight');
  change({ outputs: [output(1), output(2), output(3)], inputs: [input(1), input(2), input(3)] });
  expect(active()?.getAttribute('aria-label')).toBe('Cam 2 to Out 3: Not routed');
  press('Enter');
  expect(acts.route.mock.calls).toEqual([[3, 2]]);
});

test('what the hub was asked for is marked as such, and what it has routed stays until it answers', () => {
  const routed = output(1, { in: 1, source: 'STUDIO (Camera 1)', 'applied-source': 'STUDIO (Camera 1)' });
  const { container } = show({ outputs: [routed], asked: new Map([[1, 2]]) });
  const marks = [...container.querySelectorAll<HTMLElement>('[role="gridcell"]')].map(({ dataset }) => dataset.mark);
  expect(marks).toEqual([undefined, 'sent', 'asked']);
});

test('groups fold by their buttons and by keys', () => {
  const { press, getAllByRole } = show({
    inputs: [input(1, { group: 'Studio' })],
    outputs: [output(1, { group: 'Hall' })],
  });
  fireEvent.click(getAllByRole('button', { name: /Studio/, hidden: true })[0]!);
  expect(acts.fold.mock.lastCall).toEqual(['columns', 'Studio']);
  press('Enter');
  expect(acts.fold.mock.lastCall).toEqual(['rows', 'Hall']);
  press('ArrowDown');
  press('ArrowRight');
  press('g');
  expect(acts.fold.mock.lastCall).toEqual(['columns', 'Studio']);
  press('G', { shiftKey: true });
  expect(acts.fold.mock.lastCall).toEqual(['rows', 'Hall']);
});

test('a lock names its owner, and a source that is offline says so', () => {
  const lock = { by: 'user' as const, 'user-id': 2, owner: 'Kim' };
  const { getByRole, getByText } = show({ inputs: [input(1, { online: false })], outputs: [output(1, { lock })] });
  expect(getByRole('img', { name: 'Locked by Kim' })).toBeTruthy();
  expect(getByText('Offline')).toBeTruthy();
});

test('the corner shows the source at the pointer, or why it has no picture, and nothing without a pointer', async () => {
  const inputs = [input(1, { online: false }), input(2, { source: null })];
  const { grid } = show({ inputs, outputs: [output(1, { in: 2 })] });
  const pointAt = (place: string) => fireEvent.pointerOver(grid.querySelector(place) as Element);
  const shown = () => grid.querySelector('[aria-hidden] [title]')?.getAttribute('title') ?? undefined;
  pointAt('[data-row="-1"] [data-column="1"]');
  await waitFor(() => expect(shown()).toBe('Offline'), { timeout: 4000 });
  pointAt('[data-row="0"] [data-column="-1"]');
  await waitFor(() => expect(shown()).toBe('No source'), { timeout: 4000 });
  fireEvent.pointerLeave(grid);
  await waitFor(() => expect(shown()).toBe(undefined), { timeout: 4000 });
});
