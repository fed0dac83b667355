import { expect, test } from 'bun:test';
import { fireEvent, screen } from '@testing-library/react';
import { useLocation } from 'react-router-dom';
import { renderPage } from '../render-for-test.tsx';
import type { BulkAct } from './bulk.ts';
import { type Column, nameColumn, type StateFilter } from './column.ts';
import { DataTable } from './DataTable.tsx';

interface Row {
  readonly id: number;
  readonly name: string;
  readonly isUp: boolean;
}

const columns: readonly Column<Row>[] = [
  nameColumn,
  {
    key: 'state',
    title: { id: 'State' },
    cell: ({ isUp }) => (isUp ? 'Live' : 'Failed'),
    searchText: ({ isUp }) => (isUp ? 'Live' : 'Failed'),
  },
];
const states: readonly StateFilter<Row>[] = [
  { key: 'live', title: { id: 'Live' }, has: ({ isUp }) => isUp },
  { key: 'failed', title: { id: 'Failed' }, has: ({ isUp }) => !isUp },
];
const items = ['Quay', 'Studio', 'Roof'].map((name, at) => ({ id: at + 1, name, isUp: at < 2 }));

function Address() {
  return <output>{useLocation().search}</output>;
}

function show(at: string) {
  renderPage(
    <>
      <DataTable id="test" label="Cameras" columns={columns} items={items} states={states} empty="" />
      <Address />
    </>,
    { at },
  );
}
const names = () => screen.getAllByRole('row').flatMap((row) => row.querySelector('td')?.textContent ?? []);
const chip = (name: string) => screen.getByRole('button', { name });

test('each state has a button with its count, which filters the list and is kept in the address', () => {
  show('/');
  expect(chip('All 3').getAttribute('aria-pressed')).toBe('true');
  fireEvent.click(chip('Live 2'));
  expect(names()).toEqual(['Quay', 'Studio']);
  expect(chip('Live 2').getAttribute('aria-pressed')).toBe('true');
  expect(screen.getByRole('status').textContent).toBe('?state=live');
  fireEvent.click(chip('All 3'));
  expect(names()).toEqual(['Quay', 'Studio', 'Roof']);
});

test('the numbers of the states are those of what the search finds', () => {
  show('/?q=o');
  expect(names()).toEqual(['Studio', 'Roof']);
  expect(chip('All 2')).toBeTruthy();
  expect(chip('Live 1')).toBeTruthy();
  fireEvent.click(chip('Failed 1'));
  expect(names()).toEqual(['Roof']);
  expect(chip('All 2')).toBeTruthy();
});

test('a list opens in the state of its address, and the search is one more condition', () => {
  show('/?state=failed&q=quay');
  expect(screen.getByText('Nothing matches the filters')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Clear the filters' }));
  expect(names()).toEqual(['Quay', 'Studio', 'Roof']);
});

test('the search finds the word of a state', () => {
  show('/?q=failed');
  expect(names()).toEqual(['Roof']);
});

test('an act with a dialog runs on the selected rows what the dialog chooses, and names those that failed', async () => {
  const moved: string[] = [];
  const act: BulkAct<Row> = {
    key: 'move',
    title: { id: 'Move' },
    icon: () => null,
    appliesTo: ({ isUp }) => isUp,
    ask: () => undefined,
    run: () => Promise.reject(new Error('the dialog says what runs')),
    dialog: ({ items: chosen, begin, onClose }) => (
      <button
        type="button"
        onClick={() => {
          begin(({ name }) => {
            moved.push(name);
            return name === 'Quay' ? Promise.reject(new Error('refused')) : Promise.resolve();
          });
          onClose();
        }}
      >
        Move {chosen.length} here
      </button>
    ),
  };
  const bulk = [act];
  renderPage(<DataTable id="test" label="Cameras" columns={columns} items={items} bulk={bulk} empty="" />);
  for (const { name } of items) fireEvent.click(screen.getByRole('checkbox', { name: `Select ${name}` }));
  fireEvent.click(await screen.findByRole('button', { name: 'Move 2' }));
  fireEvent.click(screen.getByRole('button', { name: 'Move 2 here' }));
  expect(await screen.findByText('1 done, 1 failed')).toBeTruthy();
  expect(moved).toEqual(['Quay', 'Studio']);
  expect(screen.queryByRole('button', { name: 'Move 2 here' })).toBeNull();
  expect(screen.getByRole('region', { name: 'Selection' }).querySelector('strong')?.textContent).toBe('Quay');
});
