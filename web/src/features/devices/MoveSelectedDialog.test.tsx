import { expect, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import type { Device } from '../../../../daemon/contract/devices.ts';
import { maskOf } from '../../../../daemon/contract/permission.ts';
import { featureBits } from '../../../../daemon/contract/variant.ts';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import MoveSelectedDialog from './MoveSelectedDialog.tsx';

const device = (sn: string, group: number) => ({ sn, name: sn, 'catalog-id': group }) as unknown as Device;

test('selected devices move to the chosen group, each with a call of its own', async () => {
  const user = { name: 'ann', id: 2, 'group-name': '', permission: maskOf('groupView', 'groupControl'), type: 4 };
  const asked = answerCalls({
    '/api/session': { result: 0, user, 'feature-support': featureBits.devices },
    '/api/catalog/list': { result: 0, start: 0, total: 1, list: [{ id: 5, 'parent-id': 0, name: 'Chapel' }] },
  });
  const items = [device('A1', 0), device('B2', 0)];
  let isClosed = false;
  renderPage(
    <MoveSelectedDialog
      items={items}
      begin={(run) => void Promise.all(items.map(run))}
      onClose={() => {
        isClosed = true;
      }}
    />,
  );
  expect(await screen.findByText('2 devices move.')).toBeTruthy();
  await screen.findByRole('option', { name: 'Chapel' });
  fireEvent.change(screen.getByLabelText('Device group'), { target: { value: '5' } });
  fireEvent.click(screen.getByRole('button', { name: 'Move' }));
  await waitFor(() => expect(isClosed).toBe(true));
  expect(asked.filter(({ path }) => path === '/api/device/move').map(({ body }) => body)).toEqual([
    { sn: 'A1', 'catalog-id': 5 },
    { sn: 'B2', 'catalog-id': 5 },
  ]);
});
