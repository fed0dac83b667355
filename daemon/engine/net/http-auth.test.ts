import { describe, expect, test } from 'bun:test';
import { Authorizer, Gatekeeper } from './http-auth.ts';

const mufasa = { username: 'Mufasa', password: 'Circle of Life' };

describe('an authorizer', () => {
  test('sends no header before a challenge', () => {
    expect(new Authorizer(mufasa).header('GET', '/')).toBeUndefined();
  });

  test('answers Basic as in RFC 7617', () => {
    const authorizer = new Authorizer({ username: 'Aladdin', password: 'open sesame' });
    expect(authorizer.learn('Basic realm="WallyWorld"')).toBe(true);
    expect(authorizer.header('GET', '/')).toBe('Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==');
  });

  // The examples of RFC 7616, section 3.9.1, and of RFC 2617, section 3.5.
  const nonces = {
    nonce: '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v',
    cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
  };
  test.each([
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ])('answers a digest with %s as in RFC 7616', (algorithm, response) => {
    const authorizer = new Authorizer(mufasa, () => nonces.cnonce);
    const challenge = `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, nonce="${nonces.nonce}", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`;
    expect(authorizer.learn(challenge)).toBe(true);
    const header = authorizer.header('GET', '/dir/index.html') ?? '';
    expect(header).toContain(`response="${response}"`);
    expect(header).toContain('nc=00000001');
    expect(header).toContain('opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"');
    expect(authorizer.header('GET', '/dir/index.html')).toContain('nc=00000002');
  });

  test('answers the legacy digest of cameras, without qop', () => {
    const authorizer = new Authorizer({ username: 'Mufasa', password: 'Circle Of Life' });
    authorizer.learn('Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"');
    expect(authorizer.header('GET', '/dir/index.html')).toContain('response="670fd8c2df070c60b045671b8b24ff02"');
  });

  test('prefers the digest among several challenges', () => {
    const authorizer = new Authorizer(mufasa);
    authorizer.learn('Basic realm="a, b=c", Digest realm="x", nonce="n"');
    expect(authorizer.header('GET', '/')).toStartWith('Digest username="Mufasa", realm="x", nonce="n"');
    const other = new Authorizer(mufasa);
    other.learn('Digest realm="x", nonce="n", algorithm=SHA-512-256, Basic realm="y"');
    expect(other.header('GET', '/')).toStartWith('Basic ');
  });

  test('does not answer the same refusal twice, unless the nonce changed or was stale', () => {
    const authorizer = new Authorizer(mufasa);
    expect(authorizer.learn('Digest realm="x", nonce="n"')).toBe(true);
    expect(authorizer.learn('Digest realm="x", nonce="n"')).toBe(false);
    expect(authorizer.learn('Digest realm="x", nonce="n", stale=true')).toBe(true);
    expect(authorizer.learn('Digest realm="x", nonce="m"')).toBe(true);
    expect(authorizer.header('GET', '/')).toContain('nonce="m"');
  });

  test('sends nothing without a user name or for an unknown scheme', () => {
    expect(new Authorizer({ username: '', password: '' }).learn('Basic realm="x"')).toBe(false);
    expect(new Authorizer(mufasa).learn('Negotiate')).toBe(false);
  });
});

describe('a gatekeeper', () => {
  const keeper = new Gatekeeper('Signalbox', 'abc');

  test('accepts a correct answer to its challenge, by digest or Basic', () => {
    for (const challenge of [keeper.challenges.join(', '), ...keeper.challenges]) {
      const authorizer = new Authorizer(mufasa);
      expect(authorizer.learn(challenge)).toBe(true);
      const header = authorizer.header('DESCRIBE', 'rtsp://hub/key') ?? '';
      expect(keeper.admits(header, 'DESCRIBE', mufasa)).toBe(true);
      expect(keeper.admits(header, 'DESCRIBE', { ...mufasa, password: 'circle of life' })).toBe(false);
      expect(keeper.admits(header, 'DESCRIBE', { ...mufasa, username: 'Scar' })).toBe(false);
    }
  });

  test('accepts a digest with a count, but none for another connection, method or algorithm', () => {
    const answer = (challenge: string) => {
      const authorizer = new Authorizer(mufasa);
      authorizer.learn(challenge);
      return authorizer.header('PLAY', 'rtsp://hub/key') ?? '';
    };
    const own = 'Digest realm="Signalbox", nonce="abc"';
    expect(keeper.admits(answer(`${own}, qop="auth"`), 'PLAY', mufasa)).toBe(true);
    expect(keeper.admits(answer(own), 'SETUP', mufasa)).toBe(false);
    expect(keeper.admits(answer('Digest realm="Signalbox", nonce="abd"'), 'PLAY', mufasa)).toBe(false);
    expect(keeper.admits(answer(`${own}, algorithm=SHA-256`), 'PLAY', mufasa)).toBe(false);
  });

  test('refuses an invalid answer', () => {
    for (const header of [
      '',
      'Basic',
      'Basic !!!',
      'Digest',
      'Digest username=Mufasa',
      'Bearer x',
      '"',
      'a'.repeat(99),
    ]) {
      expect(keeper.admits(header, 'PLAY', mufasa)).toBe(false);
    }
  });
});
