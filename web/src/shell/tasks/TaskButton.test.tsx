import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { Task, TaskItem } from '../../../../daemon/contract/tasks.ts';
import { queryClient } from '../../api/query-client.ts';
import { sessionQuery } from '../../api/session.ts';
import { taskWith } from '../../shared/tasks/task-for-test.ts';
import { useConfirm } from '../../ui/overlay/confirm.ts';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import TaskButton from './TaskButton.tsx';

// happy-dom has no popovers.
beforeAll(() => {
  HTMLElement.prototype.showPopover = () => {};
});
afterAll(() => {
  Reflect.deleteProperty(HTMLElement.prototype, 'showPopover');
});
afterEach(() => localStorage.clear());

const hubSeconds = 1_700_000_060;
const user = { name: 'ann', id: 1, 'group-name': '', permission: 0, type: 1 };

async function show(all: readonly Task[], items: readonly TaskItem[] = []) {
  const asked = answerCalls({
    '/api/session': { result: 0, user },
    '/api/system/status': { result: 0, status: { system: { info: { 'date-time': hubSeconds } } } },
    '/api/task/query': { result: 0, ...all[0], list: items },
  });
  const page = renderPage(<TaskButton all={all} />);
  await waitFor(() => expect(queryClient.getQueryData(sessionQuery.queryKey)).toBeDefined());
  return { asked, page };
}
const button = () => screen.queryByRole('button', { name: /^Tasks: / });
async function open(): Promise<HTMLElement> {
  fireEvent.click(await screen.findByRole('button', { name: /^Tasks: / }));
  return screen.findByRole('dialog');
}

test('running tasks come first, the newest above, and others’ have their owner', async () => {
  await show([
    taskWith({ id: 1, subject: 'First', state: 'failed', ended: 20, fault: { result: 29, message: 'full' } }),
    taskWith({ id: 2, subject: 'Second', owner: 'bob', done: 3, failed: 1 }),
    taskWith({ id: 3, subject: 'Third', unit: 'bytes', done: 1_500_000, total: 0 }),
    taskWith({ id: 4, subject: 'Fourth', state: 'done', done: 10, ended: 10 }),
  ]);
  const rows = within(await open()).getAllByRole('listitem');
  expect(rows.map((row) => /First|Second|Third|Fourth/.exec(row.textContent ?? '')?.[0])).toEqual([
    ...['Third', 'Second', 'First', 'Fourth'],
  ]);
  expect(rows[0]?.textContent).toContain('1.50 MB');
  expect(rows[1]?.textContent).toMatch(/Running3 of 101 failed00:02:20 leftby bob/);
  expect(rows[2]?.textContent).not.toContain('by ann');
  expect(button()?.getAttribute('aria-label')).toBe('Tasks: 2 running, some have failed');
});

test('the items of a task are loaded when it is opened, with the failed ones first and the reason', async () => {
  const items: TaskItem[] = [
    { key: 'a', name: 'Pen A', state: 'done' },
    { key: 'b', name: 'Pen B', state: 'failed', fault: { result: 12, message: 'gone' } },
    { key: 'c', name: 'Pen C', state: 'failed', fault: { result: 9_999, message: 'new' } },
  ];
  const { asked } = await show([taskWith({ state: 'done', done: 3, total: 3, failed: 2, ended: 30 })], items);
  const panel = await open();
  expect(panel.textContent).toContain('Done in part');
  expect(asked.map(({ path }) => path)).not.toContain('/api/task/query');
  fireEvent.click(within(panel).getByRole('button', { name: 'Pen fill Store' }));
  const list = await within(panel).findByRole('list', { name: 'Items' });
  expect(
    within(list)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(['Pen BFailedThe device is offline.', 'Pen CFailedOperation failed. Error code: 9999', 'Pen ADone']);
});

test('canceling asks first; a task that cannot be canceled has no button', async () => {
  const { asked } = await show([taskWith({ id: 7 }), taskWith({ id: 8, cancelable: false })]);
  const cancel = within(await open()).getAllByRole('button', { name: /^Cancel/ });
  expect(cancel.map((one) => one.textContent)).toEqual(['Cancel']);
  fireEvent.click(cancel[0]!);
  expect(screen.queryByRole('dialog')).toBeNull();
  const question = useConfirm.getState().open;
  expect(question?.title).toBe('Cancel “Pen fill: Store”?');
  await question?.run(false);
  expect(asked).toContainEqual({ path: '/api/task/cancel', body: { id: 7 } });
});

test('cleared tasks stay away in this browser, while later ends and a reset hub’s tasks are shown', async () => {
  const old = taskWith({ id: 1, state: 'done', ended: 10 });
  await show([old]);
  const panel = await open();
  fireEvent.click(within(panel).getByRole('button', { name: 'Clear' }));
  await waitFor(() => expect(panel.textContent).toBe('TasksNo tasks.'));
  await show([old, taskWith({ id: 2, state: 'done', ended: 11 })]);
  expect(within(await open()).getAllByRole('listitem')).toHaveLength(1);
  await show([{ ...old, ended: 99 }]);
  expect(within(await open()).getAllByRole('listitem')).toHaveLength(1);
});

test('a storage with other content counts as nothing cleared', async () => {
  localStorage.setItem('signalbox-cleared-tasks-ann', '{"not": "a list"}');
  await show([taskWith({ state: 'done', ended: 10 })]);
  expect(await screen.findByRole('button', { name: 'Tasks: 0 running' })).toBeTruthy();
});
