import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StreamAddress } from '../sources/stream-address.ts';
import { openSecrets } from './secrets.ts';
import { openAddress, sealAddress } from './stored-address.ts';

const folder = mkdtempSync(join(tmpdir(), 'signalbox-address-'));
const secrets = openSecrets(join(folder, 'key'));
const otherSecrets = openSecrets(join(folder, 'other-key'));
rmSync(folder, { recursive: true });

const addresses: StreamAddress[] = [
  { protocol: 'udp', host: '239.1.2.3', port: 5000, ttl: 16, interface: '', source: '' },
  { protocol: 'rtmp', url: 'rtmp://h.example/app', key: 'hidden-key', username: 'me', password: 'hidden' },
  { protocol: 'rtmp', url: 'rtmp://h.example/app', key: 'hidden-key', username: '', password: '' },
  {
    protocol: 'srt',
    mode: 'caller',
    host: 'h.example',
    port: 9000,
    latencyMs: 120,
    overheadPercent: 25,
    streamId: 'hidden-id',
    keyLength: 16,
    passphrase: 'hidden-phrase',
    maxConnections: 30,
  },
  {
    ...{ protocol: 'http', url: 'https://h.example/live.m3u8?token=hidden&a=1', bufferMs: 200 },
    ...{ username: '', password: '' },
  },
];

test.each(addresses)('%o is restored as it was stored, and its secrets are sealed', (address) => {
  const row = sealAddress(secrets, address);
  expect(openAddress(secrets, row)).toEqual(address);
  expect(JSON.stringify(row)).not.toContain('hidden');
});

test('an address is restored with its members in one order, so that the engine detects no false change', () => {
  for (const address of addresses) {
    const once = JSON.stringify(openAddress(secrets, sealAddress(secrets, address)));
    expect(JSON.stringify(openAddress(secrets, sealAddress(secrets, JSON.parse(once) as StreamAddress)))).toBe(once);
  }
});

test('a row of an older hub opens, and is stored under the names of today in the same order', () => {
  for (const address of addresses) {
    const row = sealAddress(secrets, address);
    const older = row.config.replace('"latencyMs"', '"latency"').replace('"overheadPercent"', '"overhead"');
    const config = 'username' in address ? older.replace('"username"', '"auth":true,"username"') : older;
    expect(openAddress(secrets, { ...row, config })).toEqual(address);
    expect(sealAddress(secrets, openAddress(secrets, { ...row, config })).config).toBe(row.config);
  }
});

test('secrets of another key are blank', () => {
  const [, rtmp] = addresses;
  expect(openAddress(otherSecrets, sealAddress(secrets, rtmp!))).toEqual({ ...rtmp, key: '', password: '' } as never);
});

test('a listener whose stream id cannot be opened accepts no peer', () => {
  const listener = { ...addresses[3], mode: 'listener', host: '0.0.0.0', streamId: 'hidden-id' } as StreamAddress;
  expect(openAddress(otherSecrets, sealAddress(secrets, listener))).toMatchObject({
    streamId: expect.stringMatching(/^.{36}$/),
  });
});
