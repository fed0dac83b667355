/** Hub, engine and endpoints, each killed in turn: which streams continue, and how soon the others recover. */
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { leasePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { fileIn, inspect, killAll, publish, record, untilRecorded } from './live-media.ts';
import { udpMonitor } from './monitor.ts';
import { openRigHub } from './rig-hub.ts';
import { expectWhole } from './whole-recording.ts';

setDefaultTimeout(90_000);

const stage = openRigHub({ name: 'deaths', timeDivisor: 1 });
afterEach(killAll);

test('the hub: no packet is lost at RTMP, SRT and UDP receivers', async () => {
  const channel = await stage.rig.addChannel();
  const receiver = await udpMonitor();
  await channel.addOutput({ type: 1, url: `udp://127.0.0.1:${receiver.port}` });
  publish(channel.push.rtmp);
  await channel.untilLive();
  const files = ['rtmp', 'srt'].map((kind) => fileIn(stage.folder, `hub-killed-${kind}.mkv`));
  const players = [record(channel.play.rtmp, files[0]!), record(channel.play.srt, files[1]!)];
  for (const file of files) await untilRecorded(file, 300_000, 20_000);
  await receiver.more(1000);
  const engine = await stage.hub.enginePid();
  await stage.hub.kill('SIGKILL');
  await receiver.more(1500, 10_000);
  await stage.hub.restart();
  await stage.hub.login();
  await channel.untilLive();
  expect(await stage.hub.enginePid()).toBe(engine);
  await receiver.more(1500, 10_000);
  for (const player of players) await player.stop();
  for (const file of files) expectWhole(await inspect(file), 5);
  expect(receiver.continuityErrors).toBe(0);
  receiver.close();
});

test('the engine: the hub stays up and streams flow again once the publisher is back', async () => {
  const channel = await stage.rig.addChannel();
  const first = publish(channel.push.rtmp);
  await channel.untilLive();
  const engine = await stage.hub.enginePid();
  process.kill(engine, 'SIGKILL');
  expect(await stage.hub.api<{ ready: boolean }>('/api/health')).toMatchObject({ ready: true });
  await first.exited;
  await until(async () => (await stage.hub.enginePid()) !== engine, 20_000, 'another engine runs');
  publish(channel.push.rtmp);
  await channel.untilLive();
});

test('the SRT endpoint: RTMP and UDP continue, SRT recovers', async () => {
  const channel = await stage.rig.addChannel();
  const receiver = await udpMonitor();
  await channel.addOutput({ type: 1, url: `udp://127.0.0.1:${receiver.port}` });
  publish(channel.push.rtmp);
  await channel.untilLive();
  const file = fileIn(stage.folder, 'endpoint-killed.mkv');
  const player = record(channel.play.rtmp, file);
  const srtPlayer = record(channel.play.srt, fileIn(stage.folder, 'endpoint-killed-srt.mkv'));
  await untilRecorded(file, 300_000, 20_000);
  await receiver.more(1000);
  process.kill(await stage.hub.endpointPid('srt'), 'SIGKILL');
  await srtPlayer.exited;
  const again = fileIn(stage.folder, 'endpoint-back.mkv');
  await until(
    async () => {
      const retry = record(channel.play.srt, again, 3);
      return (await retry.exited) === 0;
    },
    20_000,
    'SRT plays again',
  );
  await player.stop();
  expectWhole(await inspect(file), 3);
  expect(receiver.continuityErrors).toBe(0);
  receiver.close();
});

test('the RTMP endpoint: it ends with the engine; without it SRT and UDP continue, and RTMP recovers', async () => {
  const [channel, other] = [await stage.rig.addChannel(), await stage.rig.addChannel()];
  const receiver = await udpMonitor();
  await other.addOutput({ type: 1, url: `udp://127.0.0.1:${receiver.port}` });
  publish(other.push.srt);
  /** Once it has the publisher and the player. */
  const serving = async () => {
    const [publisher, file] = [publish(channel.push.rtmp), fileIn(stage.folder, `${performance.now()}.mkv`)];
    await channel.untilLive();
    const player = record(channel.play.rtmp, file);
    await untilRecorded(file, 300_000, 20_000);
    const pid = await stage.hub.endpointPid('rtmp');
    const sockets = () => readdirSync(`/proc/${pid}/fd`).filter((fd) => isTcp(pid, fd)).length;
    await until(() => sockets() === 2, 30_000, 'the endpoint serves the player');
    return { pid, publisher, player, file };
  };
  const first = await serving();
  await receiver.more(1000);
  process.kill(first.pid, 'SIGKILL');
  await Promise.all([first.publisher.exited, first.player.exited]);
  await receiver.more(1000);
  const second = await serving();
  expect(second.pid).not.toBe(first.pid);
  await receiver.more(1000);
  expect(receiver.continuityErrors).toBe(0);
  await second.player.stop();
  expectWhole(await inspect(second.file), 2);
  process.kill(await stage.hub.enginePid(), 'SIGKILL');
  await until(() => !existsSync(`/proc/${second.pid}`), 5000, 'the endpoint ends');
  await second.publisher.exited;
  receiver.close();
});

/** Sockets of a stream, not the one to the engine. */
function isTcp(pid: number, fd: string): boolean {
  const [, inode] = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`)) ?? [];
  return inode !== undefined && new RegExp(` ${inode} `).test(readFileSync('/proc/net/tcp', 'latin1'));
}

/** '' once it is closed. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

test('the UDP endpoint: RTMP and SRT continue, UDP recovers on both sides', async () => {
  const pushed = await stage.rig.addChannel();
  const [fromPush, fromUdp] = [await udpMonitor(), await udpMonitor()];
  const port = leasePort();
  const { of: fetched } = await stage.rig.addInput({ type: 1, url: `udp://127.0.0.1:${port}` });
  await pushed.addOutput({ type: 1, url: `udp://127.0.0.1:${fromPush.port}` });
  await pushed.addOutput({ type: 1, url: `udp://127.0.0.1:${port}` });
  await fetched.addOutput({ type: 1, url: `udp://127.0.0.1:${fromUdp.port}` });
  publish(pushed.push.srt);
  await pushed.untilLive();
  await fetched.untilLive(10_000);
  const files = [
    fileIn(stage.folder, 'udp-endpoint-killed-rtmp.mkv'),
    fileIn(stage.folder, 'udp-endpoint-killed-srt.mkv'),
  ] as const;
  const players = [record(pushed.play.rtmp, files[0]), record(pushed.play.srt, files[1])];
  for (const file of files) await untilRecorded(file, 300_000, 20_000);
  await until(() => fromUdp.packets > 500 && fromPush.packets > 500, 20_000, 'both receivers get packets');
  process.kill(await stage.hub.endpointPid('udp'), 'SIGKILL');
  const before = [fromUdp.packets, fromPush.packets] as const;
  const isBack = () => fromUdp.packets > before[0] + 500 && fromPush.packets > before[1] + 500;
  await until(isBack, 10_000, 'both receivers get packets again');
  for (const player of players) await player.stop();
  for (const file of files) expectWhole(await inspect(file), 3);
  fromPush.close();
  fromUdp.close();
});
