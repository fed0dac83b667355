/** The process itself: what it reports, how it ends, and invalid control frames. */
import { afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { type EndpointEvent, readEvent } from '../../daemon/engine/srt/protocol.ts';
import { leasePort } from '../../tests/support/ports.ts';
import { until } from '../../tests/support/until.ts';
import { type Bare, endpointBinary, frame, sanitizerReport, startBare } from '../common/test-endpoint.ts';

setDefaultTimeout(30_000);

let binary = '';
let bare: Bare<EndpointEvent>;

beforeAll(() => {
  binary = endpointBinary('srt', 'asan');
  endpointBinary('srt', 'plain');
}, 120_000);
afterEach(async () => {
  bare.child.kill('SIGKILL');
  await bare.child.exited;
  bare.close();
});

const encoder = new TextEncoder();
const errorsOf = (events: readonly EndpointEvent[]) => events.filter((event) => event.ev === 'error');

test('it reports its version and that of libsrt', async () => {
  bare = await startBare(binary, readEvent);
  expect(bare.events[0]).toMatchObject({ ev: 'hello', version: 9, libsrt: expect.stringMatching(/^1\.\d+\.\d+$/) });
  const output = Bun.spawnSync([binary, '--version']);
  expect(output.exitCode).toBe(0);
  expect(output.stdout.toString()).toMatch(/^srt-endpoint 9, libsrt 1\.\d+\.\d+\n$/);
  expect(Bun.spawnSync([binary]).exitCode).toBe(1);
  expect(Bun.spawnSync([binary, '--socket', '/nonexistent/path']).exitCode).toBe(1);
});

test('it exits with 0 when the engine disconnects, with a listener and a call open', async () => {
  bare = await startBare(binary, readEvent);
  const port = leasePort();
  bare.control(`{"op":"listen","bind":"127.0.0.1","port":${port}}`);
  bare.control(`{"op":"call","id":1,"hosts":["127.0.0.1"],"port":${leasePort()},"direction":"send"}`);
  bare.data(0, 1, new Uint8Array(188).fill(0x47));
  await until(() => bare.events.some((event) => event.ev === 'listening'));
  bare.socket.end();
  expect(await bare.child.exited).toBe(0);
  expect(await bare.stderr()).toBe('');
});

test('it exits with 0 on SIGTERM', async () => {
  bare = await startBare(binary, readEvent);
  bare.child.kill('SIGTERM');
  expect(await bare.child.exited).toBe(0);
  expect(await bare.stderr()).toBe('');
});

const senseless = [
  '',
  '{',
  'null',
  '[]',
  '{"op":5}',
  '{"op":"explode"}',
  '{"op":"listen","port":-1}',
  '{"op":"listen","port":70000}',
  '{"op":"listen","port":8000.5}',
  '{"op":"listen","port":8000,"latency":-1}',
  '{"op":"listen","port":8000,"passphrase":"short"}',
  '{"op":"listen","port":8000,"pbkeylen":17}',
  '{"op":"keys"}',
  '{"op":"keys","list":{}}',
  '{"op":"keys","list":[7]}',
  '{"op":"keys","list":[{"push":"x"}]}',
  `{"op":"keys","list":[{"feed":1,"push":"${'x'.repeat(200)}"}]}`,
  '{"op":"call","id":1}',
  '{"op":"call","id":1,"hosts":[],"port":1,"direction":"send"}',
  '{"op":"call","id":1,"hosts":[1],"port":1,"direction":"send"}',
  '{"op":"call","id":1,"hosts":["localhost"],"port":1,"direction":"send"}',
  '{"op":"call","id":1,"hosts":["::1","::2","::3","::4","::5"],"port":1,"direction":"send"}',
  '{"op":"call","id":1,"hosts":["::1"],"port":1,"direction":"sideways"}',
  '{"op":"call","id":1,"hosts":["::1"],"port":1,"direction":"send","oheadbw":2}',
  '{"op":"open-listener","id":1,"direction":"send"}',
  '{"op":"open-listener","id":0,"port":8000,"direction":"send"}',
  '{"op":"open-listener","id":1,"port":8000,"direction":"sideways"}',
  '{"op":"open-listener","id":1,"port":8000,"direction":"send","max":0}',
  '{"op":"open-listener","id":1,"port":8000,"direction":"send","passphrase":"short"}',
  '{"op":"close-listener","id":0}',
  '{"op":"kick","conn":-1}',
  '{"op":"kick","conn":1e400}',
  '{"op":"kick","conn":1}x',
  '{"op":"hangup","id":"1"}',
  '{"op":"drop-feed"}',
  '{"op":"link","conn":1}',
  '{"op":"link","feed":1}',
  '{"op":"link","conn":1,"feed":-1}',
  '{"op":"unlink"}',
  '{"op":"unlink","call":"1"}',
  '{"op":"batch","call":1}',
  '{"op":"batch","conn":1,"ms":1001}',
  '{"op":"batch","conn":1,"ms":1,"prompt":1}',
  '{"op":"\\u0000"}',
  '{"op":"\\ud800"}',
  '{"op":"kick\n"}',
  `${'['.repeat(100_000)}`,
  `{"a":${'['.repeat(20)}${']'.repeat(20)}}`,
  `[${'1,'.repeat(200_000)}1]`,
];

test('each invalid control frame is answered with an error, and changes nothing', async () => {
  bare = await startBare(binary, readEvent);
  for (const text of senseless) {
    const before = errorsOf(bare.events).length;
    bare.control(text);
    await until(() => errorsOf(bare.events).length > before);
  }
  expect(bare.events.filter((event) => event.ev !== 'error' && event.ev !== 'hello')).toEqual([]);
  bare.data(1, 0, new Uint8Array(100));
  const port = leasePort();
  bare.control(`{"op":"listen","bind":"127.0.0.1","port":${port}}`);
  await until(() => bare.events.some((event) => event.ev === 'listening'));
  bare.socket.end();
  expect(await bare.child.exited).toBe(0);
  expect(await bare.stderr()).not.toMatch(sanitizerReport);
});

test('an invalid frame makes it exit with 2 and a reason', async () => {
  bare = await startBare(binary, readEvent);
  bare.raw(encoder.encode('GET / HTTP/1.1\r\n\r\n'));
  expect(await bare.child.exited).toBe(2);
  expect(await bare.stderr()).toContain('no frame');
});

test('a frame over the limit makes it exit with 2 and a reason', async () => {
  bare = await startBare(binary, readEvent);
  const header = frame('D', 1, new Uint8Array(0));
  new DataView(header.buffer).setUint32(8, 0xffffffff, true);
  bare.raw(header);
  expect(await bare.child.exited).toBe(2);
  expect(await bare.stderr()).toContain('too long');
});

test('many feeds, tables and partial frames are accepted without an error', async () => {
  bare = await startBare(binary, readEvent);
  const packets = new Uint8Array(188 * 500).fill(0x47);
  for (let feed = 0; feed < 40; feed++) {
    bare.data(feed, 2, packets.subarray(0, 188 * 2));
    for (let i = 0; i < 12; i++) {
      const whole = frame('D', feed, packets, i % 3 === 0 ? 1 : 0);
      bare.raw(whole.subarray(0, 5));
      bare.raw(whole.subarray(5, 6000));
      bare.raw(whole.subarray(6000));
    }
    if (feed % 2 === 0) bare.control(`{"op":"drop-feed","feed":${feed}}`);
  }
  bare.control('{"op":"unknown"}');
  await until(() => errorsOf(bare.events).length > 0, 10_000);
  expect(errorsOf(bare.events)).toHaveLength(1);
  bare.socket.end();
  expect(await bare.child.exited).toBe(0);
  expect(await bare.stderr()).toBe('');
});

test('a port in use is reported as busy, and listening on another one works afterwards', async () => {
  bare = await startBare(binary, readEvent);
  const taken = await Bun.udpSocket({ hostname: '127.0.0.1' });
  bare.control(`{"op":"listen","bind":"127.0.0.1","port":${taken.port}}`);
  await until(() => bare.events.some((event) => event.ev === 'listen-failed'));
  expect(bare.events.at(-1)).toMatchObject({ ev: 'listen-failed', port: taken.port, reason: 'busy' });
  const port = leasePort();
  taken.close();
  bare.control(`{"op":"listen","bind":"::","port":${port}}`);
  await until(() => bare.events.some((event) => event.ev === 'listening'));
  // The same port again, with different settings.
  bare.control(`{"op":"listen","bind":"::","port":${port},"latency":200}`);
  await until(() => bare.events.filter((event) => event.ev === 'listening').length === 2);
});

test('it uses almost no CPU time while nothing is connected', async () => {
  binary = endpointBinary('srt', 'plain');
  bare = await startBare(binary, readEvent);
  binary = endpointBinary('srt', 'asan');
  bare.control(`{"op":"listen","bind":"127.0.0.1","port":${leasePort()}}`);
  await until(() => bare.events.some((event) => event.ev === 'listening'));
  const { pid } = bare.child;
  const switches = (task: number | string) => {
    const status = readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8');
    return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]);
  };
  const before = switches(pid);
  await Bun.sleep(500);
  expect(switches(pid) - before).toBeLessThanOrEqual(2);
  // libsrt itself polls for packets a hundred times a second.
  const receiver = readdirSync(`/proc/${pid}/task`).find((task) =>
    readFileSync(`/proc/${pid}/task/${task}/comm`, 'utf8').startsWith('SRT:RcvQ'),
  );
  const inOneSecond = async () => {
    const from = switches(receiver ?? '');
    await Bun.sleep(1000);
    return switches(receiver ?? '') - from;
  };
  await until(async () => (await inOneSecond()) <= 3, 15_000, 'an unused port is polled twice a second');
});
