import { afterEach, expect, test } from 'bun:test';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDeviceCertificate } from '../../tests/support/device-certificates.ts';
import { until } from '../../tests/support/until.ts';
import { addressRanges } from '../lib/address-ranges.ts';
import { createLog } from '../lib/log.ts';
import { type DialState, dialLink } from '../link/dial.ts';
import { createIdentity } from '../link/identity.ts';
import { createLinkListener, linkPath } from './link-listener.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

function listener(options: Partial<Parameters<typeof createLinkListener>[0]> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-listener-'));
  const keyDir = join(folder, 'tls');
  const link = createLinkListener({
    ...{ host: '127.0.0.1', port: 0, keyDir, trustedProxies: addressRanges([]), log: createLog('error', () => {}) },
    certificates: { load: () => Promise.reject(new Error('no TLS here')) },
    sealing: { seal: (clear) => `sealed ${clear}`, open: (sealed) => sealed.slice('sealed '.length) },
    ...{ isSecure: () => false, accept: () => ({ state: 'accepted' }), fleetSize: () => 0 },
    ...{ socketPath: (name: string) => join(keyDir, `${name}.sock`), onChange: () => {} },
    ...options,
  });
  undo.push(() => rmSync(folder, { recursive: true }), link.close);
  return { ...link, keyDir };
}

/** Returns the names of the states as they come. */
function dial(url: string): string[] {
  const states: string[] = [];
  const stop = new AbortController();
  const onState = ({ name }: DialState) => void states.push(name);
  const claim = () => ({ role: 'device', serial: 'A', details: {} }) as const;
  const ended = dialLink({
    ...{ url, claim, onState, identity: createIdentity(), hubKey: undefined, allowsPort: () => false },
    signal: stop.signal,
  });
  undo.push(() => {
    stop.abort();
    return ended;
  });
  return states;
}

test('a port in use is a fault of this part, which ends when it is free', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const link = listener({ port });
  await link.refresh();
  expect([link.port(), link.faults()]).toMatchObject([0, [{ name: 'link', ok: false, reason: 'portOccupied', port }]]);
  other.close();
  await once(other, 'close');
  await link.refresh();
  expect([link.port(), link.faults()]).toEqual([port, []]);
});

test('a device that is not accepted has no socket; deleting ends its link', async () => {
  const link = listener({ accept: () => ({ state: 'waiting' }) });
  await link.refresh();
  const states = dial(`ws://127.0.0.1:${link.port()}${linkPath}`);
  await until(() => states.includes('waiting'));
  expect(link.socketOf('A')).toBeUndefined();
  link.setState('A', 'accepted');
  await until(() => states.includes('accepted'));
  expect(link.socketOf('A')).toContain('.sock');
  link.setState('A', 'deleted');
  await until(() => states.includes('retrying'));
  expect(states).toEqual(['connecting', 'waiting', 'accepted', 'deleted', 'retrying']);
  expect(link.socketOf('A')).toBeUndefined();
  expect(statSync(join(link.keyDir, 'link.key')).mode & 0o777).toBe(0o600);
});

test('when the certificate changes, links stay and new ones see the new certificate', async () => {
  const [before, after] = [makeDeviceCertificate('before'), makeDeviceCertificate('after')];
  let served = before;
  const link = listener({ isSecure: () => true, certificates: { load: async () => served } });
  await link.refresh();
  const url = `wss://127.0.0.1:${link.port()}${linkPath}`;
  const states = dial(url);
  await until(() => states.includes('accepted'));
  served = after;
  await link.refresh();
  expect(link.socketOf('A')).toContain('.sock');
  const next = dial(url);
  await until(() => next.includes('accepted') || next.includes('exists'));
  expect(states).toEqual(['connecting', 'accepted']);
});
