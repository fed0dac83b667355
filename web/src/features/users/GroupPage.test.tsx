import { expect, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { Suspense } from 'react';
import { Route, Routes } from 'react-router-dom';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import GroupPage from './GroupPage.tsx';

const crew = { id: 8, name: 'Crew', desc: '', type: 8, permission: 1024, revision: 2 };
const ann = { id: 2, name: 'ann', nick: '', 'group-id': 8, 'group-name': 'Crew', permission: 1024, revision: 1 };

test('after saving, the form has the hub’s values and is unchanged', async () => {
  const answers: Record<string, object> = {
    '/api/session': {
      result: 0,
      user: { ...ann, id: 1, name: 'Admin', type: 1 },
      'is-hardware': false,
      'feature-support': 0,
    },
    '/api/system/status': { result: 0, status: {} },
    '/api/usr/list': { result: 0, users: [ann], groups: [crew] },
    '/api/usr-group/set': { result: 0, revision: 3 },
  };
  const asked = answerCalls(answers);
  renderPage(
    <Suspense fallback={null}>
      <Routes>
        <Route path="/group/:groupId" element={<GroupPage />} />
      </Routes>
    </Suspense>,
    { at: '/group/8' },
  );
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Start and stop channels' }));
  answers['/api/usr/list'] = { result: 0, users: [ann], groups: [{ ...crew, permission: 3328, revision: 3 }] };
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(asked.filter(({ path }) => path === '/api/usr-group/set')).toHaveLength(1));
  expect(asked.find(({ path }) => path === '/api/usr-group/set')?.body).toEqual({
    id: 8,
    permissions: 3328,
    revision: 2,
  });
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Discard' })).toBeNull());
});
