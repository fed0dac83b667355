/** Drivers make simulated devices send to the hub and play from it, with real streams. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { createMwapiDriver } from '../../daemon/devices/mwapi/driver.ts';
import { createUsapiDriver } from '../../daemon/devices/usapi/driver.ts';
import { MwapiDevice } from '../sim/devices/mwapi.ts';
import { startPlayer, startPublisher } from '../sim/devices/publisher.ts';
import { quickTimes, transportTo, unaborted } from '../sim/devices/rig.ts';
import { serveDevice } from '../sim/devices/serve.ts';
import { UsapiDevice } from '../sim/devices/usapi.ts';
import { until, untilSeen } from '../support/until.ts';
import { openRigHub } from './rig-hub.ts';

setDefaultTimeout(90_000);

const rigHub = openRigHub({ name: 'device-streams', timeDivisor: 1 });
const password = { user: 'Admin', password: 'Admin' };
const times = { ...quickTimes, answerMs: 5000, actMs: 5000 };

const encoder = new UsapiDevice({ kind: 'encode', sn: 'B313240506011', name: 'Hall', publish: startPublisher });
const decoder = new MwapiDevice({ kind: 'decoder', sn: 'A421240212014', name: 'Lobby', play: startPlayer });
const served = [encoder, decoder].map((device) => serveDevice(device));
afterAll(() => Promise.all(served.map(({ close }) => close())));
const sending = createUsapiDriver(times).open(transportTo(served[0]!.address), password);
const playing = createMwapiDriver(times).open(transportTo(served[1]!.address), password);

test.each(['rtmp', 'srt'] as const)('an encoder sends over %s, and a decoder plays the channel', async (protocol) => {
  const { rig, hub } = rigHub;
  const channel = await rig.addChannel();
  const target = { host: '127.0.0.1', port: hub.ports[protocol], app: 'live', key: channel.pushKey } as const;
  await sending.sendTo!({ name: 'Hub', protocol, stream: 'main', latencyMs: 120, ...target }, unaborted);
  await channel.untilLive();
  const sent = await untilSeen(
    () => sending.poll(unaborted),
    ({ streams }) => streams[0]?.state === 'running',
  );
  expect(sent.living).toBe(true);
  const play =
    protocol === 'rtmp'
      ? channel.play.rtmp
      : `srt://127.0.0.1:${hub.ports.srt}?streamid=${channel.playKey}&latency=120`;
  await playing.play!({ name: `Hub ${protocol}`, url: play }, unaborted);
  await untilSeen(
    () => playing.poll(unaborted),
    ({ source }) => source?.connected === true,
  );
  await sending.stopSendingTo!('Hub', unaborted);
  await until(async () => (await rig.view(channel.id)).state !== 'live');
  expect((await sending.poll(unaborted)).living).toBe(false);
});
