import { expect, test } from 'bun:test';
import { fireEvent, screen } from '@testing-library/react';
import { useLocation } from 'react-router-dom';
import type { Device } from '../../../../daemon/contract/devices.ts';
import { directions } from '../../../../daemon/contract/streams.ts';
import { renderPage } from '../../ui/render-for-test.tsx';
import { kindOf } from './device-lists.ts';
import { useKindFilter } from './KindFilter.tsx';

const device = (dir: number) => ({ dir }) as unknown as Device;
const encoder = device(directions.input);
const decoder = device(directions.output);

function Shown({ devices }: { devices: readonly Device[] }) {
  const { kind, filter } = useKindFilter(devices);
  return (
    <>
      {filter}
      <output>{`${kind} ${useLocation().search}`}</output>
    </>
  );
}
const shown = () => screen.getByRole('status').textContent?.trim();

test('a device that can be an input and an output is listed with the encoders', () => {
  expect(kindOf(device(directions.both))).toBe('encoders');
  expect(kindOf(decoder)).toBe('decoders');
  expect(kindOf(device(directions.none))).toBe('others');
});

test('the kind is chosen among those that there are, kept in the address, and forgets page and order', () => {
  renderPage(<Shown devices={[encoder, encoder, decoder]} />, { at: '/?page=3&sort=codec&q=nave' });
  const field = screen.getByLabelText('Kind of devices');
  expect([...field.querySelectorAll('option')].map(({ text }) => text)).toEqual([
    ...['All kinds', 'Encoders (2)', 'Decoders (1)'],
  ]);
  fireEvent.change(field, { target: { value: 'decoders' } });
  expect(shown()).toBe('decoders ?q=nave&kind=decoders');
});

test('a list of one kind needs no choice, and a kind that is gone hides nothing', () => {
  renderPage(<Shown devices={[encoder]} />, { at: '/?kind=decoders' });
  expect(screen.queryByLabelText('Kind of devices')).toBeNull();
  expect(shown()).toBe('all ?kind=decoders');
});
