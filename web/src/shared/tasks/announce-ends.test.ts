import { afterEach, expect, test } from 'bun:test';
import { i18n } from '@lingui/core';
import type { Task } from '../../../../daemon/contract/tasks.ts';
import { useToasts } from '../../ui/feedback/toasts.ts';
import { announceEnds } from './announce-ends.ts';
import { taskWith } from './task-for-test.ts';

i18n.loadAndActivate({ locale: 'en', messages: {} });
afterEach(() => useToasts.setState({ list: [] }));

function told(change: Partial<Task>): string {
  announceEnds([taskWith({ ended: 5, ...change })]);
  const { tone, text } = useToasts.getState().list.at(-1) ?? {};
  return `${tone}: ${text}`;
}

test('the message says how the task ended, and stays if something failed', () => {
  expect(told({ state: 'done', done: 10 })).toBe('success: “Pen fill: Store” is done.');
  expect(told({ state: 'done', failed: 2 })).toBe('error: “Pen fill: Store” has ended: 2 of 10 failed.');
  expect(told({ state: 'canceled', subject: '' })).toBe('success: “Pen fill” was canceled.');
  expect(told({ state: 'interrupted' })).toBe('error: “Pen fill: Store” was interrupted because the hub stopped.');
  expect(told({ state: 'failed', fault: { result: 12, message: 'it is gone' } })).toBe(
    'error: “Pen fill: Store” failed. The device is offline.',
  );
});

test('the same task has one message', () => {
  told({ state: 'canceled' });
  told({ state: 'canceled' });
  expect(useToasts.getState().list).toHaveLength(1);
});
