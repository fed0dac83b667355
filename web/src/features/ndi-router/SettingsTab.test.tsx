import { expect, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import type { Router } from './router-query.ts';
import SettingsTab from './SettingsTab.tsx';

const router = { 'base-name': 'STAGE', inputs: 16, outputs: 16, 'auto-fill': false, revision: 4 };
const shown = { router, inputs: new Map(), outputs: new Map() } as unknown as Router;

test('a user whose settings are out of date can overwrite those of the other user', async () => {
  const answers: Record<string, object> = {
    '/api/ndi/router/set': { result: 1004, message: '', params: { what: 'STAGE', by: 'bert', revision: 5 }, later: [] },
  };
  const asked = answerCalls(answers);
  renderPage(<SettingsTab router={shown} mayEdit />);
  fireEvent.change(await screen.findByLabelText('Base name'), { target: { value: 'MINE' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  const overwrite = await screen.findByRole('button', { name: 'Overwrite with mine' });
  expect(screen.getByRole('button', { name: 'Discard mine and load theirs' })).toBeDefined();
  answers['/api/ndi/router/set'] = { result: 0, revision: 6 };
  fireEvent.click(overwrite);
  const saved = () => asked.filter(({ path }) => path === '/api/ndi/router/set').map(({ body }) => body);
  await waitFor(() => expect(saved()).toHaveLength(2));
  expect(saved()).toMatchObject([{ revision: 4 }, { 'base-name': 'MINE', revision: 5, force: false }]);
});
