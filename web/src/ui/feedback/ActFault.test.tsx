import { expect, test } from 'bun:test';
import { screen } from '@testing-library/react';
import { CallError } from '../../lib/call-error.ts';
import { renderPage } from '../render-for-test.tsx';
import { ActFault } from './ActFault.tsx';

test('a fault is shown at the action, except for an ended session', () => {
  renderPage(<ActFault error={new CallError('notPermitted')} />);
  expect(screen.getByRole('alert').textContent).not.toBe('');
  renderPage(<ActFault error={new CallError('notLoggedIn')} />);
  expect(screen.queryByRole('alert')).toBeNull();
});
