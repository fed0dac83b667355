/** One input for several channels: when one comes or goes, the others are not affected. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import type { FetchSource } from '../../daemon/sources/stream-address.ts';
import { leasePort } from '../support/ports.ts';
import { type LiveEngine, pushed, startEngine } from './live-engine.ts';
import { inspect, killAll, publish, record, untilRecorded } from './live-media.ts';
import { expectWhole } from './whole-recording.ts';

setDefaultTimeout(60_000);

let engine: LiveEngine;
beforeAll(async () => {
  engine = await startEngine(1);
});
afterAll(async () => {
  await killAll();
  await engine.stop();
});

const isLive = ({ input }: { input: { kbps: number; media?: unknown } }) => input.kbps > 0 && input.media !== undefined;
const player = (id: number) => `rtmp://127.0.0.1:${engine.ports.rtmp}/live/play-${id}`;
const file = (name: string) => join(engine.folder, name);

/** This channel and the next share one input. */
async function shares(one: number, input: FetchSource, begin: () => void): Promise<void> {
  const two = one + 1;
  const [a, b] = [one, two].map((id) => pushed(id, { inputId: one, input }));
  await engine.put(a!);
  begin();
  await engine.untilChannel(one, isLive, 'the first channel is live', 15_000);
  const first = record(player(one), file(`${one}.mkv`));
  await untilRecorded(file(`${one}.mkv`), 300_000, 15_000);

  await engine.put(b!);
  await engine.untilChannel(two, isLive, 'the second channel is live');
  expect(engine.channel(two).input).toMatchObject({ protocol: input.protocol, conn: 10, state: 2 });
  const second = record(player(two), file(`${two}.mkv`));
  await untilRecorded(file(`${two}.mkv`), 300_000, 15_000);
  await first.stop();
  expectWhole(await inspect(file(`${one}.mkv`)), 5);

  await engine.put({ ...a!, enabled: false });
  await untilRecorded(file(`${two}.mkv`), 700_000, 15_000);
  await engine.remove(one);
  await untilRecorded(file(`${two}.mkv`), 1_100_000, 15_000);
  await second.stop();
  expectWhole(await inspect(file(`${two}.mkv`)), 5);
  await engine.remove(two);
}

test.concurrent('a UDP port feeds two channels', async () => {
  const port = leasePort();
  const input: FetchSource = { ...{ protocol: 'udp', host: '127.0.0.1', port, ttl: 16, interface: '', source: '' } };
  await shares(1, input, () => publish(`udp://127.0.0.1:${port}?pkt_size=1316`));
});

test.concurrent('an SRT listener feeds two channels', async () => {
  const port = leasePort();
  const input: FetchSource = {
    ...{ protocol: 'srt', mode: 'listener', host: '127.0.0.1', port, latencyMs: 120, overheadPercent: 25 },
    ...{ streamId: '', passphrase: '', keyLength: 0, maxConnections: 1 },
  };
  await shares(3, input, () => publish(`srt://127.0.0.1:${port}?mode=caller`));
});

test.concurrent('a pulled RTMP server feeds two channels', async () => {
  // The engine's own channel 7 is the server.
  const source = pushed(7);
  const input: FetchSource = {
    ...{
      protocol: 'rtmp',
      url: `rtmp://127.0.0.1:${engine.ports.rtmp}/live`,
      key: 'play-7',
      username: '',
      password: '',
    },
  };
  const [a, b] = [5, 6].map((id) => pushed(id, { inputId: 5, input }));
  await engine.put(source, a!, b!);
  publish(`rtmp://127.0.0.1:${engine.ports.rtmp}/live/push-7`);
  await engine.untilChannel(6, isLive, 'the second channel is live', 15_000);
  const recording = record(player(6), file('6.mkv'));
  await untilRecorded(file('6.mkv'), 700_000, 15_000);
  // It is pulled once.
  expect(engine.channel(7).clients).toHaveLength(1);
  await recording.stop();
  expectWhole(await inspect(file('6.mkv')), 3);
});
