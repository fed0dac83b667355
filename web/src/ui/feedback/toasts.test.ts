import { beforeEach, expect, test } from 'bun:test';
import { dismissToast, showToast, useToasts } from './toasts.ts';

const texts = () => useToasts.getState().list.map(({ text }) => text);

beforeEach(() => useToasts.setState({ list: [] }));

test('messages of one code replace each other', () => {
  showToast('error', 'first', 'same');
  showToast('error', 'second', 'same');
  expect(texts()).toEqual(['second']);
});

test('at most three are shown, the newest last', () => {
  for (const text of ['a', 'b', 'c', 'd']) showToast('error', text);
  expect(texts()).toEqual(['b', 'c', 'd']);
});

test('a message is closed by its id', () => {
  showToast('error', 'a');
  dismissToast(useToasts.getState().list[0]!.id);
  expect(texts()).toEqual([]);
});
