import { expect, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import { SetupForm } from './SetupPage.tsx';

function type(label: string, text: string) {
  fireEvent.change(screen.getByLabelText(label), { target: { value: text } });
}

function submit() {
  fireEvent.click(screen.getByRole('button', { name: 'Create account and continue' }));
}

test('an empty password is required and nothing is sent', () => {
  const asked = answerCalls({});
  renderPage(<SetupForm needsCode={false} onDone={() => {}} />);
  submit();
  expect(screen.getByText('Required')).toBeTruthy();
  expect(asked).toEqual([]);
});

test('a password that breaks the strength rules is not sent', () => {
  const asked = answerCalls({});
  renderPage(<SetupForm needsCode={false} onDone={() => {}} />);
  type('Password', 'simple');
  type('Repeat the password', 'simple');
  submit();
  expect(screen.getByText('The password does not meet the rules yet')).toBeTruthy();
  expect(asked).toEqual([]);
});

test('two different passwords are not sent', () => {
  const asked = answerCalls({});
  renderPage(<SetupForm needsCode={false} onDone={() => {}} />);
  type('Password', 'Over-the-hill1');
  type('Repeat the password', 'Over-the-hill2');
  submit();
  expect(screen.getByText("Passwords don't match")).toBeTruthy();
  expect(asked).toEqual([]);
});

test('a good password sets the hub up and signs in with it', async () => {
  const asked = answerCalls({});
  let isDone = false;
  renderPage(
    <SetupForm
      needsCode={false}
      onDone={() => {
        isDone = true;
      }}
    />,
  );
  type('Password', 'Over-the-hill1');
  type('Repeat the password', 'Over-the-hill1');
  submit();
  await waitFor(() => expect(isDone).toBe(true));
  expect(asked).toEqual([
    { path: '/api/setup', body: { password: 'Over-the-hill1' } },
    { path: '/api/login', body: { id: 'Admin', password: 'Over-the-hill1' } },
  ]);
});

test('a refusal of the hub is shown above the button', async () => {
  answerCalls({ '/api/setup': { result: 38, message: '' } });
  renderPage(<SetupForm needsCode={false} onDone={() => {}} />);
  type('Password', 'Over-the-hill1');
  type('Repeat the password', 'Over-the-hill1');
  submit();
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toBe('Not possible in the current state.');
});

test('from another machine the set-up requires the code, and a wrong one is shown next to it', async () => {
  const fields = [{ path: 'code', rule: 'setupCode', message: '' }];
  const asked = answerCalls({ '/api/setup': { result: 39, message: '', fields } });
  renderPage(<SetupForm needsCode onDone={() => {}} />);
  type('Password', 'Over-the-hill1');
  type('Repeat the password', 'Over-the-hill1');
  submit();
  expect(screen.getByText('Required')).toBeTruthy();
  expect(asked).toEqual([]);
  type('Set-up code', 'AAAAA-22222');
  submit();
  expect(await screen.findByText(/^Incorrect set-up code/)).toBeTruthy();
  expect(asked).toEqual([{ path: '/api/setup', body: { password: 'Over-the-hill1', code: 'AAAAA-22222' } }]);
  expect(screen.queryByRole('alert')).toBeNull();
});
