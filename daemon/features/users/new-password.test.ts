import { expect, test } from 'bun:test';
import { firstPasswordRule, type PasswordRule } from '../../contract/password-rule.ts';
import { Password } from '../../contract/rules.ts';
import { md5Of } from '../../lib/password.ts';
import { acceptPassword, type NewPassword } from './new-password.ts';

const nothing: PasswordRule = { ...firstPasswordRule, 'chk-name': 0, length: 0 };

function refusal(given: NewPassword, rule = firstPasswordRule, allowsMd5 = true): string | undefined {
  try {
    acceptPassword(given, { rule, userName: 'rackroom', allowsMd5 });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

test('a new password has at least ten characters and is not a common one, whatever the rule', () => {
  for (const rule of [firstPasswordRule, nothing]) {
    expect(refusal({ password: 'nine-only' }, rule)).toBe('password: it needs at least 10 characters');
    expect(refusal({ password: 'Strawberry' }, rule)).toBe(
      'password: it is one of the passwords that are guessed first',
    );
    expect(refusal({ password: 'quite-another' }, rule)).toBeUndefined();
  }
  expect(refusal({ password: 'my-rackroom-17' })).toBe('password: it may not have the user name in it');
  expect(refusal({ password: 'my-rackroom-17' }, nothing)).toBeUndefined();
});

test('the published MD5 is accepted unless it is that of a common password', () => {
  expect(refusal({ passwd: md5Of('quite-another') })).toBeUndefined();
  for (const common of ['1', 'password', '123456', 'strawberry', 'rackroom', 'rackroom1']) {
    expect(refusal({ passwd: md5Of(common).toUpperCase() })).toBe('passwd: it is the MD5 of a common password');
  }
  expect(refusal({ passwd: md5Of('quite-another') }, { ...nothing, length: 11 })).toStartWith('password: send');
  expect(refusal({ passwd: md5Of('quite-another') }, nothing, false)).toStartWith('password: send');
});

test('characters are Unicode, normalized, so that every keyboard gives the same password', () => {
  expect(md5Of('Ko\u0308nigskinder')).toBe(md5Of('K\u00f6nigskinder'));
  expect(refusal({ password: '九个字符的密码呢啊' })).toBe('password: it needs at least 10 characters');
  expect(refusal({ password: '十个字符的密码在这里了' })).toBeUndefined();
  expect(Password.safeParse('🎥'.repeat(128)).success).toBe(true);
  expect(Password.safeParse('🎥'.repeat(129)).success).toBe(false);
  expect(Password.safeParse('o\u0308'.repeat(128)).success).toBe(true);
  expect(Password.safeParse('two words\u0000').success).toBe(false);
  expect(Password.safeParse(' two words').success).toBe(false);
});
