import { expect, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { CallError } from '../../lib/call-error.ts';
import { renderPage } from '../render-for-test.tsx';
import ConfirmDialog from './ConfirmDialog.tsx';
import { confirm, useConfirm } from './confirm.ts';

function ask(run: (force: boolean) => Promise<void>) {
  const forced = { consequence: (by: string) => `${by} is using it.`, verb: 'Delete anyway' };
  const question = { title: 'Delete?', consequence: 'It is lost.', verb: 'Delete', isDangerous: true, forced, run };
  confirm(question);
  renderPage(<ConfirmDialog question={question} />);
}

const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));

test('an action that succeeds closes the dialog', async () => {
  ask(async () => {});
  press('Delete');
  await waitFor(() => expect(useConfirm.getState().open).toBeUndefined());
});

test('an action that fails keeps the dialog open and shows why', async () => {
  ask(() => Promise.reject(new CallError('notPermitted')));
  press('Delete');
  expect((await screen.findByRole('alert')).textContent).toBe('You have no permission to do this.');
  expect(useConfirm.getState().open).toBeDefined();
});

test('an object in use requires a second, stronger confirmation, and is then forced', async () => {
  const tries: boolean[] = [];
  ask((force) => {
    tries.push(force);
    return force ? Promise.resolve() : Promise.reject(new CallError('objectBusy', { params: { by: 'Studio' } }));
  });
  press('Delete');
  expect(await screen.findByText('Studio is using it.')).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
  press('Delete anyway');
  await waitFor(() => expect(tries).toEqual([false, true]));
});
