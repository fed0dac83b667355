import { afterEach, expect, test } from 'bun:test';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { CallError } from '../../lib/call-error.ts';
import { renderPage } from '../../ui/render-for-test.tsx';
import RiskDialog from './RiskDialog.tsx';
import type { Confirmation, Risk, ToConfirm } from './risk.ts';
import { endTrial, useTrial } from './trial.ts';

afterEach(() => act(() => endTrial()));

const answer: ToConfirm = { token: 'T', 'confirm-by-s': 60, addresses: ['192.0.2.20'] };

function show(apply: Risk['apply'], next: Risk['next'] = ['http://192.0.2.20/']) {
  const ended: string[] = [];
  renderPage(
    <RiskDialog
      risk={{
        ...{ kind: 'network', title: 'Change the settings of ETH1?', changes: ['Address: a → b'] },
        ...{ now: 'By ETH1', next, apply, onFinal: () => void ended.push('final') },
      }}
      onClose={() => void ended.push('closed')}
    />,
  );
  return ended;
}

const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));

test('the dialog says what changes, where the console is, and where it will be', () => {
  show(async () => answer);
  const dialog = screen.getByRole('dialog', { name: 'Change the settings of ETH1?' });
  for (const text of ['Address: a → b', 'By ETH1', 'http://192.0.2.20/', 'The hub tries the change for 60 seconds']) {
    expect(dialog.textContent).toContain(text);
  }
});

test('a change is tried for a minute, and the page then waits for its end', async () => {
  const asked: Confirmation[] = [];
  const ended = show(async (confirmation) => {
    asked.push(confirmation);
    return answer;
  });
  press('Try the change');
  await waitFor(() => expect(ended).toEqual(['closed']));
  expect(asked).toEqual([{ 'confirm-within': 60 }]);
  const { trial } = useTrial.getState();
  expect(trial).toMatchObject({ kind: 'network', token: 'T' });
  expect(trial?.addresses[0]).toBe('http://192.0.2.20/');
  expect((trial?.endsAt ?? 0) - (trial?.beganAt ?? 0)).toBe(60_000);
});

test('an address that a DHCP server chooses needs more time, because the user has to find it', async () => {
  const asked: Confirmation[] = [];
  const ended = show(async (confirmation) => {
    asked.push(confirmation);
    return { ...answer, addresses: [] };
  }, 'unknown');
  press('Try the change');
  await waitFor(() => expect(ended).toEqual(['closed']));
  expect(asked).toEqual([{ 'confirm-within': 300 }]);
});

test('without a safety net the dialog asks twice, and no trial follows', async () => {
  const asked: Confirmation[] = [];
  const ended = show(async (confirmation) => {
    asked.push(confirmation);
    return { 'confirm-by-s': 0, addresses: [] };
  });
  fireEvent.click(screen.getByRole('checkbox', { name: 'Apply without a safety net' }));
  press('Apply without a safety net');
  expect(asked).toEqual([]);
  expect(screen.getByRole('dialog', { name: 'Apply without a safety net?' })).toBeTruthy();
  press('Apply without a safety net');
  await waitFor(() => expect(ended).toEqual(['final', 'closed']));
  expect(asked).toEqual([{ 'confirm-within': 0, 'accept-risk': true }]);
  expect(useTrial.getState().trial).toBeUndefined();
});

test('while the change of another user waits, the dialog says whose and for how long', async () => {
  const ended = show(async () => {
    throw new CallError('stateChanged', { code: 1004, params: { user: 'ann', seconds: 42 } });
  });
  press('Try the change');
  const fault = await screen.findByRole('alert');
  expect(fault.textContent).toContain('A change by ann waits to be confirmed');
  expect(fault.textContent).toContain('42 s');
  expect(ended).toEqual([]);
});
