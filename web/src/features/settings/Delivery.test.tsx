import { expect, test } from 'bun:test';
import { fireEvent, screen } from '@testing-library/react';
import { renderPage } from '../../ui/render-for-test.tsx';
import { Delivery } from './Delivery.tsx';

interface Attempt {
  readonly ok: boolean;
  readonly status: number;
}
const text = ({ ok, status }: Attempt) =>
  ok ? 'The server accepted it.' : `The server did not accept it (${status}).`;
const quiet = { waiting: 0, dropped: 0 };
const time = new Date('2026-11-05T10:00:00').getTime();

test('a target that accepted the last delivery shows when, and nothing else', () => {
  const last = { ok: true, status: 204, time };
  const { container } = renderPage(
    <Delivery<Attempt> state={{ ...quiet, last, 'last-accepted': time }} text={text} test={undefined} />,
  );
  expect(container.textContent).toMatch(/Last delivery .*2026.*: The server accepted it\.$/);
});

test('a target that fails shows the cause, the last success, and what waits or is lost', () => {
  const last = { ok: false, status: 503, time };
  renderPage(
    <Delivery<Attempt>
      state={{ waiting: 12, dropped: 3, last, 'last-accepted': time - 86_400_000 }}
      text={text}
      test={undefined}
    />,
  );
  for (const line of [
    /^Last delivery .*: The server did not accept it \(503\)\.$/,
    /^Last successful delivery: .*2026/,
    /^Waiting to be delivered: 12$/,
    /^Dropped because the queue was full: 3$/,
  ]) {
    expect(screen.getByText(line)).toBeTruthy();
  }
  expect(screen.queryByRole('button')).toBeNull();
});

test('a test shows its outcome next to the button', async () => {
  renderPage(<Delivery<Attempt> state={quiet} text={text} test={async () => ({ ok: false, status: 500 })} />);
  fireEvent.click(screen.getByRole('button', { name: 'Send a test' }));
  expect((await screen.findByText('The server did not accept it (500).')).getAttribute('role')).toBe('status');
});
