import { describe, expect, test } from 'bun:test';
import type { Forward } from '../../../../../daemon/contract/forwards.ts';
import { checkForward, forwardBody, forwardValues, readPorts } from './forward-form.ts';
import { clientText, placeOf, stateOf } from './forward-look.ts';

const forward: Forward = {
  ...{ id: 1, revision: 1, sn: 'SN1', 'device-name': 'Hall', name: '', 'remote-port': 22, 'local-port': 2222 },
  ...{ address: '127.0.0.1', 'auto-start': false, 'idle-minutes': 0, started: true, state: 1, port: 2222, since: 0 },
  ...{ 'started-by': 'Admin', connections: 0, 'total-connections': 0, 'rx-bytes': 0, 'tx-bytes': 0 },
};
const options = { 'usual-ports': [22, 80], ports: [5000], 'own-ports': [8880] };
const around = { options, others: [forward] };
const valid = { ...forwardValues(undefined, 'SN1'), remotePort: '22' };

test('the request of a new forward leaves the port to the hub unless one is typed', () => {
  expect(forwardBody(valid)).toEqual({
    ...{ name: '', 'remote-port': 22, 'local-port': 0, address: '127.0.0.1', 'auto-start': false },
    'idle-minutes': 60,
  });
  expect(forwardBody({ ...valid, localPort: '3000', idleMinutes: '' })).toMatchObject({
    'local-port': 3000,
    'idle-minutes': 0,
  });
});

test('what is stored fills the form, which then has no fault', () => {
  const values = forwardValues(forward, '');
  expect(values).toMatchObject({ sn: 'SN1', remotePort: '22', localPort: '2222', idleMinutes: '' });
  expect(checkForward(values, { options, others: [] })).toEqual({});
});

describe('a fault is', () => {
  test.each([
    [{ sn: '' }, 'sn', 'required'],
    [{ remotePort: '' }, 'remotePort', 'required'],
    [{ remotePort: '23' }, 'remotePort', 'devicePort'],
    [{ remotePort: 'ssh' }, 'remotePort', 'number'],
    [{ localPort: '70000' }, 'localPort', 'range'],
    [{ localPort: '8880' }, 'localPort', 'occupied'],
    [{ localPort: '2222' }, 'localPort', 'occupied'],
    [{ idleMinutes: '1441' }, 'idleMinutes', 'atMost:1440'],
  ])('%p at %s: %s', (change, field, rule) => {
    expect(checkForward({ ...valid, ...change }, around)).toEqual({ [field]: rule });
  });

  test('not that the port is used at another address', () => {
    expect(checkForward({ ...valid, localPort: '2222', address: '192.0.2.1' }, around)).toEqual({});
  });
});

test('clients get the address, and what the usual service of the port needs', () => {
  expect(placeOf(forward)).toBe('127.0.0.1:2222');
  expect(placeOf({ ...forward, address: '::1' })).toBe('[::1]:2222');
  expect(placeOf({ ...forward, port: 0, 'local-port': 0 })).toBeUndefined();
  expect(clientText(forward)).toBe('ssh -p 2222 127.0.0.1');
  expect(clientText({ ...forward, 'remote-port': 443 })).toBe('https://127.0.0.1:2222/');
  expect(clientText({ ...forward, 'remote-port': 5000 })).toBeUndefined();
});

test.each([
  [1, true, 'connected'],
  [0, true, 'waiting'],
  [0, false, 'stopped'],
  [2, false, 'failed'],
] as const)('state %i, started %p is %s', (state, started, word) => {
  expect(stateOf({ state, started })).toBe(word);
});

test('ports are read from a list', () => {
  expect(readPorts('8554, 9000 9001')).toEqual([8554, 9000, 9001]);
  expect(readPorts('')).toEqual([]);
  expect(readPorts('0')).toBeUndefined();
  expect(readPorts('8554-8560')).toBeUndefined();
});
