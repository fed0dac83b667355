import { expect, test } from 'bun:test';
import { useQuery } from '@tanstack/react-query';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { queryClient } from '../../api/query-client.ts';
import ServerDialog from '../../features/servers/ServerDialog.tsx';
import { type Asked, answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import { serversQuery } from '../servers/server-calls.ts';

const server = {
  ...{ id: 1, name: 'CDN', type: 1, url: 'rtmp://live.example/app', 'enable-auth': false },
  ...{ 'main-stream': true, 'main-key-set': true, 'sub-stream': false, 'sub-key-set': false },
};
const later = [
  {
    ...{ time: 0, user: 'bert', action: 'server.set', result: 0, subject: 'CDN' },
    ...{ detail: 'CDN: name CDN 2', changes: [{ word: 'name', value: 'CDN 2' }] },
  },
];
const refusal = { result: 1004, message: '', params: { what: 'CDN 2', by: 'bert', revision: 5 }, later };

function Page({ onClose }: { onClose: () => void }) {
  const edited = useQuery(serversQuery).data?.[0];
  return edited === undefined ? null : <ServerDialog server={edited} original={undefined} onClose={onClose} />;
}

async function refused(): Promise<{ asked: Asked[]; answers: Record<string, object>; isClosed: () => boolean }> {
  const answers: Record<string, object> = {
    '/api/server/list': { result: 0, list: [{ ...server, revision: 4 }] },
    '/api/server/set': refusal,
  };
  const asked = answerCalls(answers);
  let isClosed = false;
  const close = () => {
    isClosed = true;
  };
  renderPage(<Page onClose={close} />);
  fireEvent.change(await screen.findByLabelText('Name'), { target: { value: 'Mine' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('bert changed it in the meantime');
  answers['/api/server/list'] = { result: 0, list: [{ ...server, name: 'CDN 2', revision: 5 }] };
  return { asked, answers, isClosed: () => isClosed };
}

const nameField = () => screen.getByLabelText<HTMLInputElement>('Name');
const revisionsOf = (asked: Asked[]) =>
  asked.filter(({ path }) => path === '/api/server/set').map(({ body }) => (body as { revision: number }).revision);

test('the slower editor sees who changed what, and typed text stays', async () => {
  const { asked, isClosed } = await refused();
  expect(screen.getByRole('alert').textContent).toContain('Changed a destination · CDN: new name “CDN 2”');
  expect([nameField().value, isClosed(), revisionsOf(asked)]).toEqual(['Mine', false, [4]]);
  // The saved value of the other editor arrives by itself, and does not replace it either.
  await act(() => queryClient.invalidateQueries(serversQuery));
  expect(nameField().value).toBe('Mine');
});

test('overwriting saves the typed text with the revision that the editor was shown', async () => {
  const { asked, answers, isClosed } = await refused();
  answers['/api/server/set'] = { result: 0, revision: 6 };
  fireEvent.click(screen.getByRole('button', { name: 'Overwrite with mine' }));
  await waitFor(() => expect(isClosed()).toBe(true));
  expect(revisionsOf(asked)).toEqual([4, 5]);
  expect(asked.findLast(({ path }) => path === '/api/server/set')?.body).toMatchObject({ name: 'Mine' });
});

test('the other editor’s values can be loaded in place of the typed text, and edited further', async () => {
  const { asked, answers, isClosed } = await refused();
  fireEvent.click(screen.getByRole('button', { name: 'Discard mine and load theirs' }));
  await waitFor(() => expect(nameField().value).toBe('CDN 2'));
  expect(screen.queryByRole('alert')).toBeNull();
  expect(document.activeElement).toBe(nameField());
  answers['/api/server/set'] = { result: 0, revision: 6 };
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(isClosed()).toBe(true));
  expect(revisionsOf(asked)).toEqual([4, 5]);
});

test('while the form is unchanged, the other editor’s values are shown at once', async () => {
  const answers: Record<string, object> = { '/api/server/list': { result: 0, list: [{ ...server, revision: 4 }] } };
  answerCalls(answers);
  renderPage(<Page onClose={() => {}} />);
  await screen.findByDisplayValue('CDN');
  answers['/api/server/list'] = { result: 0, list: [{ ...server, name: 'CDN 2', revision: 5 }] };
  await act(() => queryClient.invalidateQueries(serversQuery));
  await waitFor(() => expect(nameField().value).toBe('CDN 2'));
});
