import { describe, expect, test } from 'bun:test';
import { consoleAddresses, consoleMove, isServedAt, type PagePlace, type WebPorts } from './console-move.ts';

const now: WebPorts = { httpPort: 8880, isHttps: true, httpsPort: 8443 };
const plain: PagePlace = { protocol: 'http:', hostname: 'hub.local', port: '8880' };
const secure: PagePlace = { protocol: 'https:', hostname: 'hub.local', port: '8443' };

describe('a page over HTTP', () => {
  test('moves with the HTTP port', () => {
    expect(consoleMove(plain, now, { ...now, httpPort: 9000 })).toEqual({
      kind: 'moves',
      to: 'http://hub.local:9000/',
    });
  });

  test('stays whatever happens to HTTPS', () => {
    expect(consoleMove(plain, now, { ...now, httpsPort: 9443 }).kind).toBe('stays');
    expect(consoleMove(plain, now, { ...now, isHttps: false }).kind).toBe('stays');
  });

  test('knows its port by the protocol when the address has none', () => {
    const onUsual = { ...now, httpPort: 80 };
    expect(consoleMove({ ...plain, port: '' }, onUsual, now)).toEqual({ kind: 'moves', to: 'http://hub.local:8880/' });
    expect(consoleMove(plain, now, onUsual)).toEqual({ kind: 'moves', to: 'http://hub.local/' });
  });
});

describe('a page over HTTPS', () => {
  test('moves with the HTTPS port', () => {
    expect(consoleMove(secure, now, { ...now, httpsPort: 443 })).toEqual({ kind: 'moves', to: 'https://hub.local/' });
  });

  test('moves to the new HTTP port when HTTPS is switched off', () => {
    expect(consoleMove(secure, now, { ...now, isHttps: false, httpPort: 9000 })).toEqual({
      kind: 'moves',
      to: 'http://hub.local:9000/',
    });
  });

  test('stays when only the HTTP port changes', () => {
    expect(consoleMove(secure, now, { ...now, httpPort: 9000 }).kind).toBe('stays');
  });
});

describe('a page loaded through a proxy', () => {
  const forwarded: PagePlace = { protocol: 'https:', hostname: 'relay.example', port: '' };

  test('has an unknown new address once a port closes', () => {
    expect(consoleMove(forwarded, now, { ...now, httpPort: 9000 }).kind).toBe('unknown');
    expect(consoleMove(forwarded, now, { ...now, isHttps: false }).kind).toBe('unknown');
  });

  test('stays when HTTPS is only added', () => {
    expect(consoleMove(forwarded, { ...now, isHttps: false }, { ...now, httpsPort: 9443 }).kind).toBe('stays');
  });
});

test('the console answers at each open port of the host', () => {
  const v6: PagePlace = { protocol: 'http:', hostname: '[fd00::1]', port: '80' };
  expect(consoleAddresses(v6, { ...now, httpPort: 80 })).toEqual(['http://[fd00::1]/', 'https://[fd00::1]:8443/']);
  expect(consoleAddresses(plain, { ...now, isHttps: false })).toEqual(['http://hub.local:8880/']);
});

test('a page shows by its port and protocol whether the hub served it', () => {
  expect([isServedAt(plain, now), isServedAt(secure, now)]).toEqual([true, true]);
  expect([isServedAt({ ...plain, port: '9000' }, now), isServedAt({ ...secure, port: '8880' }, now)]).toEqual([
    false,
    false,
  ]);
  expect(isServedAt(secure, { ...now, isHttps: false })).toBe(false);
  expect(isServedAt({ ...plain, port: '' }, { ...now, httpPort: 80 })).toBe(true);
});
