/** The limit of the bandwidth overhead is relative to the rate of the feed, not to what libsrt sent in a second. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { feedFlags } from '../../daemon/engine/srt/protocol.ts';
import { leasePort } from '../../tests/support/ports.ts';
import { until } from '../../tests/support/until.ts';
import { endpointBinary } from '../common/test-endpoint.ts';
import { madeUpPackets } from '../common/test-ts.ts';
import { Rig } from './test-rig.ts';

setDefaultTimeout(30_000);

const unlimited = 10_000;
let rig: Rig;
const packets = madeUpPackets();
let send: () => void;

beforeAll(() => endpointBinary('srt', 'asan'), 120_000);
beforeAll(async () => {
  rig = await Rig.start('asan');
  let flags: number = feedFlags.entryPoint;
  send = () => {
    rig.endpoint.sendData(7, flags, packets.next().value);
    flags = 0;
  };
});
afterAll(() => rig.close());

async function openListener(id: number, oheadbw: number): Promise<number> {
  const port = leasePort();
  const usual = { bind: '127.0.0.1', port, latency: 60, passphrase: '', pbkeylen: 0, streamid: '', max: 1 };
  rig.endpoint.send({ op: 'open-listener', id, feed: 7, direction: 'send', oheadbw, ...usual });
  await rig.event('listener', (event) => event.id === id);
  rig.play(`srt://127.0.0.1:${port}?mode=caller`);
  return (await rig.event('client', ({ listener }) => listener === id)).conn;
}

async function limitOf(conn: number): Promise<number> {
  const { list } = await rig.event('stats', (event) => event.list.some((item) => item.conn === conn));
  return list.find((item) => item.conn === conn)?.limit_mbps ?? Number.NaN;
}

test('a limit leaves room for a rising bitrate, and follows a fast one', async () => {
  const [free, limited] = [await openListener(1, 0), await openListener(2, 25)];
  const slow = setInterval(send, 20);
  // libsrt's own estimate would have dropped to half a megabit after two of its seconds.
  for (let report = 0; report < 4; report++) expect(await limitOf(limited)).toBe(25);
  expect(await limitOf(free)).toBe(unlimited);
  clearInterval(slow);
  const fast = setInterval(() => {
    for (let n = 0; n < 60; n++) send();
  }, 10);
  await until(async () => (await limitOf(limited)) > 40, 20_000, 'the limit follows');
  clearInterval(fast);
  const reached = await limitOf(limited);
  expect(await limitOf(limited)).toBeGreaterThanOrEqual(reached);
});
