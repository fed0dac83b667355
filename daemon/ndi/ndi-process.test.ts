import { expect, test } from 'bun:test';
import { createLog } from '../lib/log.ts';
import { type ChildMessage, maxMessageBytes, maxSources, ndiProtocol } from './messages.ts';
import { NdiProcess } from './ndi-process.ts';

/** Another program in the place of the one that loads the library. */
function start(code: string, startMs = 10_000) {
  const lines: string[] = [];
  const messages: ChildMessage[] = [];
  const child = new NdiProcess({
    command: [process.execPath, '-e', code],
    environment: {},
    startMs,
    log: createLog('debug', (line) => void lines.push(line)),
    onMessage: (message) => void messages.push(message),
  });
  return { child, lines, messages };
}

const helloOf = (protocol: number) =>
  `process.send({ type: 'hello', protocol: ${protocol}, version: '6.3', isSimulator: false, groups: [] });`;
const hello = helloOf(ndiProtocol);

test('a message to a process that closed its channel is dropped', async () => {
  const { child } = start(`${hello} process.disconnect(); setInterval(() => {}, 1000);`);
  expect(await child.greeting).toMatchObject({ version: '6.3' });
  // Until it is killed because it does not end by itself.
  const timer = setInterval(() => child.ping(), 5);
  expect(await child.closed).toBe('it closed its channel');
  clearInterval(timer);
  child.ping();
});

test.each([
  ["process.send({ type: 'other' })", 'it sent an invalid message: type is of another form'],
  ["process.send({ type: 'pong' })", 'it speaks another protocol'],
  [helloOf(ndiProtocol + 1), 'it speaks another protocol'],
])('a process that begins with %s is killed', async (code, reason) => {
  const { child } = start(`${code}; setInterval(() => {}, 1000);`);
  expect(await child.greeting).toBe(reason);
});

/** What the process sends after its hello, as JavaScript. */
const output = "{ id: 1, fullName: '', applied: null, receivers: 0 }";
const results = (count: number) => `Array.from({ length: ${count} }, () => ({ id: 1, result: 'applied' }))`;
test.each([
  ['too many sources', `{ type: 'sources', names: Array(${maxSources + 1}).fill('A') }`, 'names has more than 4096'],
  ['a name that is too long', "{ type: 'sources', names: ['A'.repeat(254)] }", 'names.0 has more than 253'],
  ['too many outputs', `{ type: 'outputs', outputs: Array(129).fill(${output}) }`, 'outputs has more than 128'],
  ['too many results', `{ type: 'applied', request: 1, results: ${results(129)} }`, 'results has more than 128'],
])('a process that sends %s is killed, and the log can say why', async (_, message, fault) => {
  const { child, messages } = start(`${hello} process.send(${message}); setInterval(() => {}, 1000);`);
  expect(await child.closed).toBe(`it sent an invalid message: ${fault}`);
  expect(messages).toEqual([]);
});

test('a process whose message is too long is killed before the message has ended', async () => {
  const message = `process.send({ type: 'x'.repeat(${16 * maxMessageBytes}) });`;
  const { child } = start(`${hello} ${message} setInterval(() => {}, 1000);`);
  expect(await child.closed).toBe(`it sent a line of more than ${maxMessageBytes} bytes`);
});

test('the longest list of sources is one message', async () => {
  // A letter of three bytes.
  const names = `Array.from({ length: ${maxSources} }, () => '\u4e00'.repeat(253))`;
  const { child, messages } = start(`${hello} process.send({ type: 'sources', names: ${names} });`);
  await child.closed;
  expect(messages.map((message) => message.type === 'sources' && message.names.length)).toEqual([maxSources]);
});

test('a process that sends nothing is killed', async () => {
  const { child } = start('setInterval(() => {}, 1000);', 100);
  expect(await child.greeting).toBe('it did not start in time');
});

test('what the library writes is logged, up to a hundred lines, and the log says that it omits the others', async () => {
  const { child, lines } = start("for (let at = 0; at < 300; at++) console.error('line ' + at); process.exit(3);");
  expect(await child.greeting).toBe('ended with code 3');
  expect(lines).toHaveLength(101);
  expect(lines.at(-1)).toContain('further lines of this process are not logged');
});
