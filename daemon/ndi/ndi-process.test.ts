import { expect, test } from 'bun:test';
import { createLog } from '../lib/log.ts';
import { ndiProtocol } from './messages.ts';
import { NdiProcess } from './ndi-process.ts';

/** Another program in the place of the one that loads the library. */
function start(code: string, startMs = 10_000) {
  const lines: string[] = [];
  const child = new NdiProcess({
    command: [process.execPath, '-e', code],
    environment: {},
    startMs,
    log: createLog('debug', (line) => void lines.push(line)),
    onMessage: () => undefined,
  });
  return { child, lines };
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
  ["process.send({ type: 'other' })", 'it sent an unknown message'],
  ["process.send({ type: 'pong' })", 'it speaks another protocol'],
  [helloOf(ndiProtocol + 1), 'it speaks another protocol'],
])('a process that begins with %s is killed', async (code, reason) => {
  const { child } = start(`${code}; setInterval(() => {}, 1000);`);
  expect(await child.greeting).toBe(reason);
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
