import { expect, spyOn, test } from 'bun:test';
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

test('the first focus, which the library sets twice, is not taken from where the user has gone meanwhile', async () => {
  const calls: (string | null)[] = [];
  const setFocus = HTMLElement.prototype.focus;
  const focus = spyOn(HTMLElement.prototype, 'focus');
  focus.mockImplementation(function (this: HTMLElement) {
    calls.push(this.textContent);
    setFocus.call(this);
    // As a key does that is pressed before the second time.
    if (calls.length === 1) (this.nextElementSibling as HTMLElement).focus();
  });
  renderPage(
    <Dialog title="Cancel the task?" onClose={() => {}}>
      <button type="button" data-autofocus>
        Keep running
      </button>
      <button type="button">Cancel task</button>
    </Dialog>,
  );
  await waitFor(() => expect(calls.length).toBeGreaterThanOrEqual(3));
  focus.mockRestore();
  expect(calls).toEqual(['Keep running', 'Cancel task', 'Cancel task']);
});
