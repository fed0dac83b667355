/** Supervision, tested with a double that fails in ways the real endpoints do not. Their own tests are in native/. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../tests/support/until.ts';
import { createLog } from '../../lib/log.ts';
import { Endpoint } from './endpoint.ts';
import { outgoingLimit } from './process.ts';
import { createEventReader, type NamedEvent } from './wire.ts';

setDefaultTimeout(30_000);

type Behaviour = 'good' | 'silent' | 'garbage' | 'deaf' | 'stubborn' | 'oldVersion' | 'dies';

const double = `#!${process.execPath}
const behaviour = process.env.BEHAVIOUR;
const frame = (text) => {
  const body = Buffer.from(text);
  const head = Buffer.alloc(12);
  head[0] = 0x4a;
  head.writeUInt32LE(body.length, 8);
  return Buffer.concat([head, body]);
};
process.on('SIGTERM', () => { if (behaviour !== 'stubborn') process.exit(0); });
console.error('warn a word of the double');
const socket = require('node:net').connect(process.argv[3]);
if (behaviour === 'deaf') socket.pause(); else socket.on('data', () => {});
socket.on('close', () => { if (behaviour !== 'stubborn') process.exit(0); });
const version = behaviour === 'oldVersion' ? 0 : 1;
if (behaviour !== 'silent') socket.write(frame(JSON.stringify({ ev: 'hello', version })));
if (behaviour === 'garbage') socket.write('HTTP/1.1 400 Bad Request');
if (behaviour === 'dies') socket.write('', () => setTimeout(() => process.exit(7), 20));
setInterval(() => {}, 1000);
`;

let folder = '';
let endpoint: Endpoint<NamedEvent, object> | undefined;
let starts = 0;
let downs: string[] = [];
let log: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'srt-supervision-'));
  [starts, downs, log] = [0, [], []];
});
afterEach(async () => {
  await endpoint?.close('test ends');
  rmSync(folder, { recursive: true, force: true });
});

function start(behaviour: Behaviour, binary = join(folder, 'double')): void {
  writeFileSync(join(folder, 'double'), double);
  chmodSync(join(folder, 'double'), 0o755);
  endpoint = new Endpoint({
    name: 'endpoint',
    protocol: 1,
    readEvent: createEventReader(['hello']),
    binary,
    socketPath: join(folder, 'srt.sock'),
    command: () => [binary, '--socket', join(folder, 'srt.sock')],
    log: createLog('debug', (line) => log.push(line)),
    environment: { BEHAVIOUR: behaviour },
    backoff: { next: () => 50, ended: () => {} },
    timing: { helloMs: 400, stopMs: 300, blockedMs: 300, checkMs: 50 },
    onStart: () => starts++,
    onDown: (reason) => downs.push(reason),
    onEvent: () => {},
    onData: () => {},
  });
}

test('a missing program is reported and retried', async () => {
  start('good', join(folder, 'nothing-here'));
  expect(endpoint?.send({ op: 'unlisten' })).toBe(false);
  await until(() => downs.length >= 2);
  expect(downs[0]).toBe('missing');
  expect(endpoint?.sendData(1, 0, new Uint8Array(188))).toBe(false);
});

test('the endpoint starts, its stderr lines go to the log, and neither process nor socket remains', async () => {
  start('good');
  await until(() => starts === 1 && log.some((line) => line.includes('a word of the double')));
  const state = endpoint?.state;
  expect(state).toMatchObject({ phase: 'running', restarts: 0 });
  expect(endpoint?.send({ op: 'unlisten' })).toBe(true);
  await endpoint?.close('enough');
  expect(endpoint?.state).toEqual({ phase: 'stopped' });
  expect(existsSync(`/proc/${state?.phase === 'running' ? state.pid : 0}/exe`)).toBe(false);
  expect(existsSync(join(folder, 'srt.sock'))).toBe(false);
  expect(downs).toEqual([]);
});

test('an endpoint that dies is restarted, and the restart is reported', async () => {
  start('dies');
  await until(() => starts >= 2);
  expect(downs[0]).toContain('code 7');
});

test('an endpoint that ignores the stop request is killed', async () => {
  start('stubborn');
  await until(() => starts === 1);
  const before = performance.now();
  await endpoint?.close('enough');
  expect(performance.now() - before).toBeGreaterThanOrEqual(290);
  expect(endpoint?.state).toEqual({ phase: 'stopped' });
});

test.each([
  ['silent', 'did not start in time'],
  ['garbage', 'protocol error'],
  ['oldVersion', 'speaks protocol 0'],
] as const)('an endpoint that is %s is given up', async (behaviour, reason) => {
  start(behaviour);
  await until(() => downs.length > 0);
  expect(downs[0]).toContain(reason);
});

test('an endpoint that does not read loses media first, its queue is bounded, and it is replaced', async () => {
  start('deaf');
  await until(() => starts === 1);
  const piece = new Uint8Array(64 * 188);
  let accepted = 0;
  for (let i = 0; i < 2000; i++) if (endpoint?.sendData(1, 0, piece)) accepted += piece.length;
  expect(accepted).toBeLessThan(outgoingLimit + (2 << 20));
  expect(endpoint?.send({ op: 'unlisten' })).toBe(true);
  await until(() => downs.length > 0);
  expect(downs[0]).toBe('does not read');
  await until(() => starts === 2);
});
