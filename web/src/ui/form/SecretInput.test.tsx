import { expect, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { CallError } from '../../lib/call-error.ts';
import { useToasts } from '../feedback/toasts.ts';
import { renderPage } from '../render-for-test.tsx';
import { SecretInput } from './SecretInput.tsx';

const type = () => screen.getByLabelText<HTMLInputElement>('Stream key').type;
const toggle = () => fireEvent.mouseDown(screen.getByRole('button', { name: 'Show or hide' }));
const show = (reveal: (() => Promise<unknown>) | undefined) =>
  renderPage(<SecretInput label="Stream key" toggle="Show or hide" reveal={reveal} defaultValue="hidden" />);

test('a stored secret is shown after the access was recorded, which happens once', async () => {
  const looks: PromiseWithResolvers<void>[] = [];
  show(() => {
    looks.push(Promise.withResolvers());
    return looks.at(-1)!.promise;
  });
  expect(type()).toBe('password');
  toggle();
  await waitFor(() => expect(looks).toHaveLength(1));
  toggle();
  expect(type()).toBe('password');
  looks[0]!.resolve();
  await waitFor(() => expect(type()).toBe('text'));
  toggle();
  expect(type()).toBe('password');
  toggle();
  expect([type(), looks.length]).toEqual(['text', 1]);
});

test('a refused access shows nothing', async () => {
  show(() => Promise.reject(new CallError('notPermitted')));
  toggle();
  await waitFor(() => expect(useToasts.getState().list.at(-1)?.text).toBe('You have no permission to do this.'));
  expect(type()).toBe('password');
});

test('a field without a stored secret is visible', () => {
  show(undefined);
  expect(type()).toBe('text');
});
