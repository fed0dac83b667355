import { expect, test } from 'bun:test';
import { methodQuery, parseAuthDemand, respondToQuery } from './adobe-auth.ts';

const credentials = { username: 'user', password: 'secret' };

test('a server that names the method is asked for its challenge', () => {
  expect(parseAuthDemand('[ AccessManager.Reject ] : [ code=403 need auth; authmod=adobe ] : ')).toEqual({
    kind: 'method',
  });
  expect(methodQuery(credentials)).toBe('?authmod=adobe&user=user');
});

test('a challenge is read with its base64 padding', () => {
  const text =
    '[ AccessManager.Reject ] : [ authmod=adobe ] : ?reason=needauth&user=user&salt=c2Fs&challenge=aGk=&opaque=b3A==';
  expect(parseAuthDemand(text)).toEqual({ kind: 'challenge', salt: 'c2Fs', challenge: 'aGk=', opaque: 'b3A==' });
});

test('other reasons of this method are refusals, other texts are not of this method', () => {
  expect(parseAuthDemand('[ authmod=adobe ] : ?reason=authfailed&opaque=x')).toEqual({ kind: 'refused' });
  expect(parseAuthDemand('[ authmod=adobe ] : ?reason=nosuchuser')).toEqual({ kind: 'refused' });
  expect(parseAuthDemand('[ authmod=llnw ] : ?reason=needauth')).toBeUndefined();
  expect(parseAuthDemand('no such application')).toBeUndefined();
});

// Expected values: printf '%s' ... | openssl md5 -binary | base64, in the two steps of the method.
test('the answer signs salt, password and both challenges', () => {
  const withOpaque = { kind: 'challenge', salt: 'SALT', challenge: 'CHAL', opaque: 'OPAQ' } as const;
  expect(respondToQuery(credentials, withOpaque, '0a0b0c0d')).toBe(
    '?authmod=adobe&user=user&challenge=0a0b0c0d&response=RmxueQXQ/N/cAhzbNcPL0g==&opaque=OPAQ',
  );
  const without = { ...withOpaque, opaque: undefined };
  expect(respondToQuery(credentials, without, '0a0b0c0d')).toBe(
    '?authmod=adobe&user=user&challenge=0a0b0c0d&response=mAC6zinUwJSTvYYYb0yIDQ==',
  );
});
