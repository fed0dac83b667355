/** A dialog with typed values: what closes it, and what asks first. */
import { beforeEach, expect, test } from 'bun:test';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';

import { useSchemaForm } from '../../ui/form/useSchemaForm.ts';
import ConfirmDialog from '../../ui/overlay/ConfirmDialog.tsx';
import { closeConfirm, useConfirm } from '../../ui/overlay/confirm.ts';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import { FormDialog } from './DialogForm.tsx';

let closed = 0;
beforeEach(() => {
  closed = 0;
  act(closeConfirm);
});

function Edited() {
  const fields = useSchemaForm({ initial: { name: '' }, check: () => ({}) });
  const question = useConfirm((state) => state.open);
  return (
    <>
      <FormDialog title="Add" fields={fields} save={async () => {}} verb="Save" onClose={() => closed++}>
        <input aria-label="Name" {...fields.form.getInputProps('name')} />
      </FormDialog>
      {question && <ConfirmDialog question={question} />}
    </>
  );
}

const question = () => screen.queryByRole('dialog', { name: 'Discard what you typed?' });
const pressEscape = () => fireEvent.keyDown(document.body, { key: 'Escape' });
const clickOutside = () => {
  const overlay = document.querySelector('.mantine-Modal-overlay');
  if (overlay === null) throw new Error('the dialog has no overlay');
  fireEvent.click(overlay);
};
const type = async () => {
  fireEvent.change(await screen.findByLabelText('Name'), { target: { value: 'Studio A' } });
};

async function show() {
  answerCalls({});
  renderPage(<Edited />);
  await screen.findByRole('dialog', { name: 'Add' });
}

test('an untouched dialog closes by Escape, by a click outside and by its buttons', async () => {
  await show();
  pressEscape();
  clickOutside();
  fireEvent.click(screen.getByRole('button', { name: 'Close' }));
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect([closed, question()]).toEqual([4, null]);
});

test('a click outside does not close a dialog with typed text, and does not ask either', async () => {
  await show();
  await type();
  clickOutside();
  expect([closed, question()]).toEqual([0, null]);
});

test.each([
  ['Escape', pressEscape],
  ['its close button', () => fireEvent.click(screen.getByRole('button', { name: 'Close' }))],
  ['Cancel', () => fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))],
])('%s asks before typed text is lost', async (_, leave) => {
  await show();
  await type();
  leave();
  await waitFor(() => expect(question()).not.toBeNull());
  expect(closed).toBe(0);
  fireEvent.click(screen.getByRole('button', { name: 'Discard' }));
  await waitFor(() => expect(closed).toBe(1));
});

test('Escape in the question closes only the question', async () => {
  await show();
  await type();
  pressEscape();
  await waitFor(() => expect(question()).not.toBeNull());
  pressEscape();
  await waitFor(() => expect(question()).toBeNull());
  expect(closed).toBe(0);
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('Studio A');
});

test('a saved dialog closes without a question', async () => {
  await show();
  await type();
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(closed).toBe(1));
  expect(question()).toBeNull();
});
