import { expect, test } from 'bun:test';
import { commonPasswords, isCommonPassword } from './common-passwords.ts';

test.each([
  ...['strawberry', 'Manchester', '1q2w3e4r5t', 'Password2026!', 'P@ssw0rd-123', 'iloveyou1234', 'Welcome-2026'],
  ...['aaaaaaaaaaaa', 'abcabcabcabc', '1234567890', '9876543210', 'qwertyuiop', 'Qwerty12345', '1qaz2wsx3edc'],
  ...['signalbox2026', 'Signal-Box-1', 'rackroom1234', 'RACK_room99', 'abcdefghij12', '0000000000'],
])('%s is a common password', (password) => expect(isCommonPassword(password, 'rack_room')).toBe(true));

test.each([
  ...['integration-only', 'over-the-hills', 'Quay-side-17', 'correct horse battery', 'xK4vT9mQ2w', 'looks-only'],
  ...['密码很长而且不常见的词', 'Überraschung-7', 'signalboxes at dawn', 'mind-the-rack-room'],
])('%s is not a common password', (password) => expect(isCommonPassword(password, 'rack_room')).toBe(false));

test('the list that an MD5 is compared with is bounded, and includes short passwords', () => {
  const all = commonPasswords('ann');
  expect(all.length).toBeLessThan(5000);
  for (const one of ['1', '12345', '123456', 'password', 'password1', 'qwerty123', 'ann123', 'strawberry', 'aaaa'])
    expect(all).toContain(one);
});
