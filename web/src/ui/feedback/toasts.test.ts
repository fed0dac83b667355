import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import { dismissToast, holdToast, releaseToast, showAdded, showToast, showUndo, useToasts } from './toasts.ts';

const texts = () => useToasts.getState().list.map(({ text }) => text);

afterEach(() => void jest.useRealTimers());
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

test('what can be undone is shown longer, and stays while the pointer is on it', () => {
  jest.useFakeTimers();
  showToast('success', 'saved');
  showUndo('switched', () => {});
  const [, undoable] = useToasts.getState().list;
  jest.advanceTimersByTime(4000);
  expect(texts()).toEqual(['switched']);
  holdToast(undoable!.id);
  jest.advanceTimersByTime(60_000);
  expect(texts()).toEqual(['switched']);
  releaseToast(undoable!);
  jest.advanceTimersByTime(6000);
  expect(texts()).toEqual([]);
});

test('what was added has a link, and is shown as long', () => {
  jest.useFakeTimers();
  showAdded('added', '/stream/input?dialog=edit&id=5');
  expect(useToasts.getState().list).toMatchObject([{ tone: 'success', path: '/stream/input?dialog=edit&id=5' }]);
  jest.advanceTimersByTime(5999);
  expect(texts()).toEqual(['added']);
  jest.advanceTimersByTime(1);
  expect(texts()).toEqual([]);
});
