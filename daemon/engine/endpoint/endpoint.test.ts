/** Supervision, tested with a double that fails in ways the real endpoints do not. Their own tests are in native/. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../tests/support/until.ts';
import { createEventReader, type NamedEvent } from '../../ipc/frames.ts';
import { createLog } from '../../lib/log.ts';
import { outgoingLimit } from '../../process/framed-process.ts';
import type { SupervisorTiming } from '../../process/supervisor.ts';
import { Endpoint } from './endpoint.ts';

setDefaultTimeout(30_000);

type Behaviour = 'good' | 'frozen' | 'silent' | 'garbage' | 'deaf' | 'stubborn' | 'oldVersion' | 'dies';

const double = `#!${process.execPath}
const behaviour = process.env.BEHAVIOUR;
const frame = (text) => {
  const body = Buffer.from(text);
  const head = Buffer.alloc(12);
  head[0] = 0x4a;
  head.writeUInt32LE(body.length, 8);
  return Buffer.concat([head, body]);
};
process.on('SIGTERM', () => { if (behaviour === 'stubborn') console.error('info ignores the request'); else process.exit(0); });
console.error('warn a word of the double');
const socket = require('node:net').connect(process.argv[3]);
if (behaviour === 'deaf') socket.pause();
else socket.on('data', (bytes) => { if (behaviour !== 'frozen' && bytes.includes('ping')) { socket.write(frame('{"ev":"pong"}')); console.error('info a ping'); } });
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
let failing: boolean[] = [];
let log: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'srt-supervision-'));
  [starts, downs, failing, log] = [0, [], [], []];
});
afterEach(async () => {
  await endpoint?.close('test ends');
  rmSync(folder, { recursive: true, force: true });
});

function start(behaviour: Behaviour, binary = join(folder, 'double'), timing: Partial<SupervisorTiming> = {}): void {
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
    timing: {
      ...{ firstBackoffMs: 20, lastBackoffMs: 50, silenceCheckMs: 10_000, helloMs: 10_000, ...timing },
      stopMs: 300,
      blockedMs: 300,
      checkMs: 50,
    },
    onStart: () => starts++,
    onDown({ reason, isFailing }) {
      downs.push(reason);
      failing.push(isFailing);
    },
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
  const pid = endpoint?.pid ?? 0;
  expect(pid).toBeGreaterThan(0);
  expect(endpoint?.send({ op: 'unlisten' })).toBe(true);
  await endpoint?.close('enough');
  expect(existsSync(`/proc/${pid}/exe`)).toBe(false);
  expect(existsSync(join(folder, 'srt.sock'))).toBe(false);
  expect(downs).toEqual([]);
});

test('an endpoint that dies is restarted, and the restart is reported', async () => {
  start('dies');
  await until(() => starts >= 2);
  expect(downs[0]).toContain('code 7');
});

test('an endpoint that answers no ping is killed and replaced', async () => {
  start('frozen', undefined, { silenceCheckMs: 100 });
  await until(() => starts === 2);
  expect(downs).toEqual(['it hung']);
  expect(log.some((line) => line.includes('hangs and is killed'))).toBe(true);
});

test('an endpoint that answers each ping is left running', async () => {
  start('good', undefined, { silenceCheckMs: 300 });
  await until(() => starts === 1);
  const { pid } = endpoint as { pid: number };
  const pings = () => log.filter((line) => line.includes('a ping'));
  // More checks than a silent one survives.
  await until(() => pings().length >= 6);
  expect(endpoint?.pid).toBe(pid);
});

test('an endpoint that ends five times within a minute is failing, until it is restarted by hand', async () => {
  start('dies');
  await until(() => failing.length >= 6);
  expect(failing.slice(0, 6)).toEqual([false, false, false, false, true, true]);
  endpoint?.restart('by hand');
  const before = failing.length;
  await until(() => failing.length > before + 1);
  expect(failing.at(-1)).toBe(false);
});

test('an endpoint that waits for its next attempt is started at once by hand', async () => {
  start('good', join(folder, 'later'), { firstBackoffMs: 60_000, lastBackoffMs: 60_000 });
  await until(() => downs.length === 2);
  renameSync(join(folder, 'double'), join(folder, 'later'));
  endpoint?.restart('by hand');
  await until(() => starts === 1);
});

test('an endpoint that ignores the stop request is killed', async () => {
  start('stubborn');
  await until(() => starts === 1);
  const pid = endpoint?.pid ?? 0;
  await endpoint?.close('enough');
  expect(log.some((line) => line.includes('ignores the request'))).toBe(true);
  expect(existsSync(`/proc/${pid}/exe`)).toBe(false);
  expect(endpoint?.pid).toBe(0);
});

test.each([
  ['silent', 'did not start in time', { helloMs: 400 }],
  ['garbage', 'protocol error', {}],
  ['oldVersion', 'speaks protocol 0', {}],
] as const)('an endpoint that is %s is given up', async (behaviour, reason, timing) => {
  start(behaviour, undefined, timing);
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
