import { expect, test } from 'bun:test';
import { actOfKey } from './matrix-keys.ts';

const act = (key: string, { ctrl = false, alt = false, shift = false } = {}) => actOfKey({ key, ctrl, alt, shift });

test('each act has its key, whatever the caps lock', () => {
  expect([' ', 'Enter', 'Delete', 'Backspace', 'l', 'L', 'u', 'g'].map((key) => act(key))).toEqual([
    ...['press', 'press', 'clear', 'clear', 'lock', 'lock', 'undo', 'foldColumns'],
  ] as ReturnType<typeof act>[]);
  expect(act('G', { shift: true })).toBe('foldRows');
  expect(act('Enter', { ctrl: true })).toBe('take');
});

test('keys of the browser are left to it', () => {
  expect(act('l', { ctrl: true })).toBeUndefined();
  expect(act('u', { ctrl: true })).toBeUndefined();
  expect(act('Enter', { alt: true })).toBeUndefined();
  expect(act('x')).toBeUndefined();
});
