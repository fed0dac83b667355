/** One input for several channels: whoever comes or goes, the others notice nothing. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import type { FetchSource } from '../../daemon/media/protocol.ts';
import { freePorts } from '../bench/ports.ts';
import { type LiveEngine, pushed, startEngine } from './live-engine.ts';
import { inspect, killAll, publish, record, untilRecorded } from './live-media.ts';
import { expectWhole } from './whole-recording.ts';

setDefaultTimeout(60_000);

let engine: LiveEngine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(async () => {
  await killAll();
  await engine.stop();
});

const isLive = ({ input }: { input: { kbps: number; media?: unknown } }) => input.kbps > 0 && input.media !== undefined;
const player = (id: number) => `rtmp://127.0.0.1:${engine.ports.rtmp}/live/play-${id}`;
const file = (name: string) => join(engine.folder, name);

async function shares(input: FetchSource, begin: () => void, name: string): Promise<void> {
  const [a, b] = [1, 2].map((id) => pushed(id, { inputId: 9, input }));
  await engine.apply([a!]);
  begin();
  await engine.untilChannel(1, isLive, 'the first channel is live', 15_000);
  const first = record(player(1), file(`${name}-1.mkv`));
  await untilRecorded(file(`${name}-1.mkv`), 300_000, 15_000);

  await engine.apply([a!, b!]);
  await engine.untilChannel(2, isLive, 'the second channel is live');
  expect(engine.channel(2).input).toMatchObject({ protocol: input.protocol, conn: 10, state: 2 });
  const second = record(player(2), file(`${name}-2.mkv`));
  await untilRecorded(file(`${name}-2.mkv`), 300_000, 15_000);
  await first.stop();
  expectWhole(await inspect(file(`${name}-1.mkv`)), 5);

  await engine.apply([{ ...a!, enabled: false }, b!]);
  await untilRecorded(file(`${name}-2.mkv`), 700_000, 15_000);
  await engine.apply([b!]);
  await untilRecorded(file(`${name}-2.mkv`), 1_100_000, 15_000);
  await second.stop();
  expectWhole(await inspect(file(`${name}-2.mkv`)), 5);
  await engine.apply([]);
  await killAll();
}

test('a UDP port feeds two channels', async () => {
  const port = await freePorts(1);
  const input: FetchSource = { ...{ protocol: 'udp', host: '127.0.0.1', port, ttl: 16, interface: '', source: '' } };
  await shares(input, () => publish(`udp://127.0.0.1:${port}?pkt_size=1316`), 'udp');
});

test('an SRT listener feeds two channels', async () => {
  const port = await freePorts(1);
  const input: FetchSource = {
    ...{ protocol: 'srt', mode: 'listener', host: '127.0.0.1', port, latencyMs: 120, overheadPercent: 25 },
    ...{ streamId: '', passphrase: '', keyLength: 0, maxConnections: 1 },
  };
  await shares(input, () => publish(`srt://127.0.0.1:${port}?mode=caller`), 'srt');
});

test('an RTMP server that is pulled feeds two channels', async () => {
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
  const [a, b] = [1, 2].map((id) => pushed(id, { inputId: 9, input }));
  await engine.apply([source, a!, b!]);
  publish(`rtmp://127.0.0.1:${engine.ports.rtmp}/live/push-7`);
  await engine.untilChannel(2, isLive, 'the second channel is live', 15_000);
  const recording = record(player(2), file('rtmp-2.mkv'));
  await untilRecorded(file('rtmp-2.mkv'), 700_000, 15_000);
  // It is pulled once.
  expect(engine.channel(7).clients).toHaveLength(1);
  await recording.stop();
  expectWhole(await inspect(file('rtmp-2.mkv')), 3);
});
