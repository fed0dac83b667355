/** Unknown clients that connect to a real hub repeatedly. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { until } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { rawCall } from './raw-call.ts';
import { timeDivisor } from './scaled-timing.ts';

setDefaultTimeout(60_000);

let hub: HubProcess;
beforeAll(async () => {
  hub = await startHub({ timeDivisor });
  await hub.login();
});
afterAll(() => hub.stop());

interface LogPage {
  readonly total: number;
  readonly list: readonly { readonly text: string; readonly level: string }[];
}
const logged = (key: string) => hub.api<LogPage>(`/api/syslog/list?key=${encodeURIComponent(key)}&count=1000`);

/** Sends HTTP to the RTMP port. */
async function knock(): Promise<void> {
  const socket = createConnection({ host: '127.0.0.1', port: hub.ports.rtmp, localAddress: '127.0.31.1' });
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\n\r\n');
  await once(socket, 'close');
}

test('hundreds of connection attempts leave a few lines in the system log', async () => {
  for (let round = 0; round < 20; round++) await Promise.all(Array.from({ length: 15 }, knock));
  const isCounted = async () => (await logged('RTMP connection ended: and')).total > 0;
  await until(isCounted, 30_000, 'the number of the other lines is in the log');
  const { total, list } = await logged('RTMP connection ended');
  expect(total).toBeLessThan(40);
  const counted = list.flatMap(({ text }) => /: and ([\d,]+) more in .* peer=127\.0\.31\.1$/.exec(text)?.[1] ?? []);
  const held = counted.reduce((sum, text) => sum + Number(text.replaceAll(',', '')), 0);
  expect(held).toBeGreaterThan(200);
});

test('many wrong stream keys slow an address down over all protocols, and leave a line with the address', async () => {
  const config = { 'push-key': 'floods-push', 'play-key': 'floods-play', enable: true };
  await hub.api('/api/channel/add', { name: 'Floods', config });
  const guess = (key: string, from: string) =>
    rawCall(hub, { path: `/live/${key}/index.m3u8`, port: hub.ports.hls, from }).then(({ status }) => status);
  const guesses = await Promise.all(Array.from({ length: 100 }, (_, n) => guess(`guess${n}`, '127.0.31.2')));
  expect(guesses.filter((status) => status === 404).length).toBeLessThanOrEqual(25);
  expect(guesses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(75);
  const isLogged = async () => (await logged('many wrong stream keys')).total > 0;
  await until(isLogged, 20_000, 'the log names the address');
  expect((await logged('many wrong stream keys')).list[0]?.text).toContain('peer=127.0.31.2');
  // There is no publisher: the key was valid.
  expect(await guess('floods-play', '127.0.31.3')).toBe(503);
  await until(async () => (await guess('floods-play', '127.0.31.2')) === 503, 20_000, 'a right key gets in');
});
