import { expect, test } from 'bun:test';
import { isStrong, strengthOf } from './password-strength.ts';

test('a password needs length, both cases and a digit', () => {
  expect(isStrong('Signal-box1', 'Admin')).toBe(true);
  expect(strengthOf('signal', 'Admin')).toMatchObject({
    length: false,
    uppercase: false,
    digit: false,
    lowercase: true,
  });
});

test('a password may not contain the user name in any case', () => {
  expect(strengthOf('xADMINx1234', 'Admin').userName).toBe(false);
});

test('a character that the hub refuses is refused here', () => {
  expect(strengthOf('Signal box1', 'Admin').characters).toBe(false);
  expect(strengthOf('Signäl-box1', 'Admin').characters).toBe(false);
});

test('an empty password meets no rule', () => {
  expect(Object.values(strengthOf('', 'Admin')).some(Boolean)).toBe(false);
});
