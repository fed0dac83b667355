import { expect, test } from 'bun:test';
import { screen, waitFor } from '@testing-library/react';
import { renderPage } from '../render-for-test.tsx';
import { Dialog } from './Dialog.tsx';

test('the first focus goes to the content if no field asks for it, not to the button that closes', async () => {
  renderPage(
    <Dialog title="Keys" onClose={() => {}}>
      <p>Only text</p>
    </Dialog>,
  );
  const text = await screen.findByText('Only text');
  await waitFor(() => expect(document.activeElement).toBe(text.parentElement));
});

test('a field that asks for the first focus gets it', async () => {
  renderPage(
    <Dialog title="Edit" onClose={() => {}}>
      <input aria-label="Other" />
      <input aria-label="Name" data-autofocus />
    </Dialog>,
  );
  const field = await screen.findByLabelText('Name');
  await waitFor(() => expect(document.activeElement).toBe(field));
});
