import { expect, test } from 'bun:test';
import { until } from '../../tests/support/until.ts';
import { createLog } from './log.ts';
import { foldRepeats, passedOfMessage, passedPerPeer } from './log-repeats.ts';

function setUp(windowMs = 60_000) {
  let time = 0;
  const texts: string[] = [];
  const sink = (_: string, { scope, level, text }: { scope: string; level: string; text: string }) =>
    texts.push(`${level} ${scope}: ${text}`);
  const { log, flush } = foldRepeats(createLog('debug', sink), { windowMs, now: () => time });
  return { log: log.in('rtmp'), texts, flush, pass: (ms: number) => (time += ms) };
}

test('repeated lines of one address become one line with a count, whatever the ports and keys are', () => {
  const { log, texts, pass } = setUp();
  for (let n = 0; n < 3000; n++) {
    log.warn('RTMP client refused', { connection: n, peer: `192.0.2.7:${1024 + n}`, reason: `key ${n}` });
  }
  expect(texts).toHaveLength(passedPerPeer);
  expect(texts[0]).toBe('warn rtmp: RTMP client refused connection=0 peer=192.0.2.7:1024 reason="key 0"');
  pass(60_000);
  log.warn('RTMP client refused', { connection: 4000, peer: '192.0.2.7:9' });
  expect(texts.slice(passedPerPeer)).toEqual([
    'warn rtmp: RTMP client refused: and 2,995 more in 60 s peer=192.0.2.7',
    'warn rtmp: RTMP client refused connection=4000 peer=192.0.2.7:9',
  ]);
});

test('other addresses, messages, scopes and levels are counted separately', () => {
  const { log, texts } = setUp();
  for (let n = 0; n < 50; n++) log.warn('refused', { peer: '192.0.2.7:1' });
  const before = texts.length;
  log.warn('refused', { peer: '192.0.2.8:1' });
  log.warn('closed', { peer: '192.0.2.7:1' });
  log.info('refused', { peer: '192.0.2.7:1' });
  log.in('deeper').warn('refused', { peer: '192.0.2.7:1' });
  expect(texts).toHaveLength(before + 4);
  // A whole /64 is one subscriber.
  for (let n = 0; n < 50; n++) log.warn('refused', { peer: `[2001:db8::${n}]:1` });
  expect(texts).toHaveLength(before + 4 + passedPerPeer);
});

test('lines without a peer are repeats when they are identical', () => {
  const { log, texts, flush } = setUp();
  for (let n = 0; n < 20; n++) log.info('channel added', { channel: n });
  expect(texts).toHaveLength(20);
  for (let n = 0; n < 20; n++) log.error('disk full', { path: '/var' });
  flush();
  expect(texts.slice(20 + passedPerPeer)).toEqual(['error rtmp: disk full: and 15 more in 60 s path=/var']);
  for (let n = 0; n < 20; n++) log.debug('trace');
  expect(texts).toHaveLength(20 + passedPerPeer + 1 + 20);
});

test('a flood from ten thousand addresses is bounded', () => {
  const { log, texts, flush, pass } = setUp();
  for (let n = 0; n < 10_000; n++) log.warn('refused', { peer: `10.9.${n >> 8}.${n & 255}:1` });
  expect(texts).toHaveLength(passedOfMessage);
  pass(60_000);
  flush();
  expect(texts.slice(passedOfMessage)).toEqual(['warn rtmp: refused: and 9,700 more in 60 s, from many addresses']);
});

test('the count is logged when the time is over, without another line', async () => {
  const { log, texts, pass } = setUp(20);
  for (let n = 0; n < 8; n++) log.warn('refused', { peer: '192.0.2.7:1' });
  pass(20);
  await until(() => texts.length > passedPerPeer, 5000, 'the number is told');
  expect(texts.at(-1)).toBe('warn rtmp: refused: and 3 more in 0.02 s peer=192.0.2.7');
});
