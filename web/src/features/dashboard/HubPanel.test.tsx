import { expect, test } from 'bun:test';
import { within } from '@testing-library/react';
import type { SystemStatus } from '../../../../daemon/contract/system.ts';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import { HubPanel } from './HubPanel.tsx';

interface Load {
  readonly cpu: number;
  readonly mem: number;
  readonly diskUsed: number;
}

/** Returns what is said about each load: `High`, `Very high` or nothing, and its color. */
function said({ cpu, mem, diskUsed }: Load): Record<string, string> {
  answerCalls({});
  const status = {
    ...{ cpu, mem, 'net-tx': 0, 'net-rx': 0, 'status-code': 0, 'ring-info': { used: 100, limit: 100 } },
    'disk-info': { total: 1000, free: 1000 - 10 * diskUsed },
  };
  renderPage(<HubPanel system={{ status } as SystemStatus['system']} />);
  const tiles = [...document.querySelectorAll<HTMLElement>('.load')];
  return Object.fromEntries(
    tiles.map((tile) => {
      const text = within(tile).queryByText(/^(High|Very high)$/)?.textContent ?? '';
      return [tile.querySelector('.loadName')?.textContent ?? '', `${text} ${tile.dataset.tone ?? ''}`.trim()];
    }),
  );
}

test('CPU, memory and disk are marked from 85 percent on', () => {
  expect(said({ cpu: 84.9, mem: 84.9, diskUsed: 84.9 })).toMatchObject({ CPU: '', Memory: '', Disk: '' });
  expect(said({ cpu: 85, mem: 20, diskUsed: 20 })).toMatchObject({ CPU: 'High warn', Memory: '', Disk: '' });
  expect(said({ cpu: 20, mem: 85, diskUsed: 20 })).toMatchObject({ CPU: '', Memory: 'High warn', Disk: '' });
  expect(said({ cpu: 20, mem: 20, diskUsed: 85 })).toMatchObject({ CPU: '', Memory: '', Disk: 'High warn' });
});

test('they are faults from 95 percent on; full buffers of streams are not a fault', () => {
  const below = said({ cpu: 94.9, mem: 94.9, diskUsed: 94.9 });
  expect(below).toMatchObject({ CPU: 'High warn', Memory: 'High warn', Disk: 'High warn' });
  const above = said({ cpu: 95, mem: 95, diskUsed: 95 });
  expect(above).toMatchObject({ CPU: 'Very high fault', Memory: 'Very high fault', Disk: 'Very high fault' });
  expect(above['Stream buffers']).toBe('');
});
