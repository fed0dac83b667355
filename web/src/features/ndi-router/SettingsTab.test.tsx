import { expect, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import type { NdiRouter } from '../../../../daemon/contract/ndi-router.ts';
import type { Settings } from '../../../../daemon/contract/settings.ts';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import { PanelSettings } from './PanelSettings.tsx';
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

test('the server for panels shows its state, why it cannot listen, and who is connected', async () => {
  const videohub = { enabled: true, address: '10.0.0.1', port: 9990, allow: [], model: 'M', version: '2.7' };
  const settings = { videohub, revision: { videohub: 1 } } as unknown as Settings;
  answerCalls({ '/api/session': { result: 0, user: { permission: 0xffffffff } } });
  const shownFor = async (server: NdiRouter['panels'], text: string) => {
    renderPage(<PanelSettings settings={settings} server={server} />);
    return (await screen.findByText(text)).parentElement?.textContent;
  };
  expect(await shownFor({ state: 'off', clients: [] }, 'Disabled')).toBe('Disabled');
  expect(await shownFor({ state: 'listening', clients: [] }, 'No panels are connected.')).toContain('Listening');
  await shownFor({ state: 'listening', clients: ['10.0.0.7', '10.0.0.8'] }, 'Connected panels: 10.0.0.7, 10.0.0.8');
  const taken = await shownFor(
    { state: 'failed', fault: 'portTaken', clients: [] },
    'Another program on this machine uses the port.',
  );
  expect(taken).toContain('Waiting to retry');
});
