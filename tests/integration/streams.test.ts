/** Real streams through the real hub: every path of the first protocols, several outputs, bad input. */
import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createSocket } from 'node:dgram';
import { statSync } from 'node:fs';
import { clip } from '../support/clips.ts';
import { leasePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import {
  countFrames,
  fileIn,
  hevcSource,
  inspect,
  killAll,
  picture,
  publish,
  record,
  untilRecorded,
} from './live-media.ts';
import { udpMonitor } from './monitor.ts';
import type { RigConnection } from './relay-rig.ts';
import { openRigHub } from './rig-hub.ts';
import { expectWhole } from './whole-recording.ts';

setDefaultTimeout(90_000);

const stage = openRigHub({ name: 'streams', timeDivisor: 1 });
afterEach(killAll);

describe('RTMP in', () => {
  test('plays over RTMP, SRT and UDP with video, audio and no gap, across the seam of a clip', async () => {
    const channel = await stage.rig.addChannel();
    const udp = leasePort();
    await channel.addOutput({ type: 1, url: `udp://127.0.0.1:${udp}` });
    publish(channel.push.rtmp);
    await channel.untilLive();
    const files = ['rtmp', 'srt', 'udp'].map((kind) => fileIn(stage.folder, `from-rtmp-${kind}.mkv`));
    const urls = [channel.play.rtmp, channel.play.srt, `udp://127.0.0.1:${udp}`];
    const players = urls.map((url, i) => record(url, files[i]!, 10));
    expect(await Promise.all(players.map((player) => player.exited))).toEqual([0, 0, 0]);
    for (const file of files) expectWhole(await inspect(file), 10);
    const { media } = (await stage.rig.view(channel.id)).input;
    expect(media).toMatchObject({ video: { codec: 'h264', width: picture.width } });
  });

  test('keeps a recording readable across a reconnect of the encoder', async () => {
    const channel = await stage.rig.addChannel();
    const encoder = publish(channel.push.rtmp);
    await channel.untilLive();
    const file = fileIn(stage.folder, 'over-a-reconnect.mkv');
    const player = record(channel.play.rtmp, file);
    await untilRecorded(file, 400_000, 15_000);
    await encoder.stop();
    await until(async () => (await stage.rig.view(channel.id)).input.addr === '', 10_000, 'the publisher is gone');
    const before = statSync(file).size;
    publish(channel.push.rtmp);
    await untilRecorded(file, before + 800_000, 20_000);
    await player.stop();
    const { pictures, goesBack } = await inspect(file);
    expect(await countFrames(file)).toEqual({ frames: pictures, errors: '' });
    expect(goesBack).toBe(false);
    // About 200 KB per second, with 25 frames each.
    expect(pictures).toBeGreaterThan(100);
  });

  test('is refused with a wrong key, and a second publisher while the first is active', async () => {
    const channel = await stage.rig.addChannel();
    const wrong = publish(`rtmp://127.0.0.1:${stage.hub.ports.rtmp}/live/wrong-key`);
    expect(await wrong.exited).not.toBe(0);
    publish(channel.push.rtmp);
    await channel.untilLive();
    const second = publish(channel.push.rtmp);
    expect(await second.exited).not.toBe(0);
    const third = publish(channel.push.srt);
    expect(await third.exited).not.toBe(0);
    expect((await stage.rig.view(channel.id)).state).toBe('live');
  });

  test('is shown as live while its publisher is connected, and as waiting after that', async () => {
    const channel = await stage.rig.addChannel();
    const encoder = publish(channel.push.rtmp);
    await until(async () => (await stage.rig.view(channel.id)).input.addr !== '', 10_000, 'the publisher is known');
    await channel.untilLive();
    await encoder.stop();
    await until(async () => (await stage.rig.view(channel.id)).state === 'waiting', 20_000, 'the channel waits again');
  });
});

describe('SRT in', () => {
  test('is played over RTMP, SRT and UDP', async () => {
    const channel = await stage.rig.addChannel();
    const udp = leasePort();
    await channel.addOutput({ type: 1, url: `udp://127.0.0.1:${udp}` });
    publish(channel.push.srt);
    await channel.untilLive();
    const files = ['rtmp', 'srt', 'udp'].map((kind) => fileIn(stage.folder, `from-srt-${kind}.mkv`));
    const urls = [channel.play.rtmp, channel.play.srt, `udp://127.0.0.1:${udp}`];
    const players = urls.map((url, i) => record(url, files[i]!, 5));
    expect(await Promise.all(players.map((player) => player.exited))).toEqual([0, 0, 0]);
    for (const file of files) expectWhole(await inspect(file), 5);
  });

  test('with HEVC is pushed by RTMP to another server and returns as HEVC', async () => {
    const [from, over] = [await stage.rig.addChannel(), await stage.rig.addChannel()];
    await from.addOutput({ url: `rtmp://127.0.0.1:${stage.hub.ports.rtmp}/live`, key: over.pushKey });
    publish(from.push.srt, hevcSource);
    await over.untilLive(15_000);
    const file = fileIn(stage.folder, 'hevc-over-rtmp.mkv');
    expect(await record(over.play.srt, file, 6).exited).toBe(0);
    const { videoCodec, audioCodec, width, longestGap, duration, goesBack } = await inspect(file);
    expect({ videoCodec, audioCodec, width, goesBack }).toEqual({
      ...{ videoCodec: 'hevc', audioCodec: 'aac', width: picture.width, goesBack: false },
    });
    expect(longestGap.video).toBeLessThan(0.1);
    expect(duration).toBeGreaterThan(4);
  });
});

describe('the facts of an input', () => {
  const parts = ['640x360', '320x180'].map((size) => {
    const picture = ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=25:duration=6`, '-g', '12', '-bf', '0'];
    return clip([...picture, '-c:v', 'libx264', '-preset', 'ultrafast'], 'ts');
  });
  const source = ['-re', '-i', `concat:${parts.join('|')}`, '-c', 'copy'];

  for (const protocol of ['rtmp', 'srt', 'udp'] as const) {
    test(`follow a change of the picture's size over ${protocol.toUpperCase()}`, async () => {
      const url = `udp://127.0.0.1:${leasePort()}`;
      const fetched = protocol === 'udp' ? await stage.rig.addInput({ type: 1, url }) : undefined;
      const channel = fetched?.of ?? (await stage.rig.addChannel());
      publish(protocol === 'udp' ? `${url}?pkt_size=1316` : channel.push[protocol], source);
      const width = async () => (await stage.rig.view(channel.id)).input.media?.video?.width;
      await until(async () => (await width()) === 640, 15_000, 'the first size is shown');
      await until(async () => (await width()) === 320, 15_000, 'the second size is shown');
    });
  }
});

describe('an output', () => {
  test('that is added, refused, frozen or removed does not affect another', async () => {
    const channel = await stage.rig.addChannel();
    const receiver = await udpMonitor();
    await channel.addOutput({ type: 1, url: `udp://127.0.0.1:${receiver.port}` });
    publish(channel.push.srt);
    await channel.untilLive();
    await receiver.more(1000);
    const file = fileIn(stage.folder, 'undisturbed.mkv');
    const player = record(channel.play.rtmp, file);
    await untilRecorded(file, 300_000, 15_000);
    const nobody = leasePort();
    const added: RigConnection[] = [];
    for (let round = 0; round < 4; round++) {
      added.push(await channel.addOutput({ url: `rtmp://127.0.0.1:${nobody}/live`, key: 'nobody' }));
      added.push(await channel.addOutput({ type: 1, url: `srt://127.0.0.1:${nobody}?mode=caller&latency=120` }));
      added.push(await channel.addOutput({ type: 1, url: `udp://127.0.0.1:${nobody}` }));
      await receiver.more(500);
    }
    for (const { id } of added) await stage.hub.api('/api/output/del', { id, force: true });
    const frozen = [1, 2, 3, 4].map((n) => record(channel.play.rtmp, fileIn(stage.folder, `frozen-${n}.mkv`)));
    await until(async () => (await stage.rig.view(channel.id)).clients.list.length >= 5, 15_000, 'four more players');
    for (const { child } of frozen) child.kill('SIGSTOP');
    const memory = await stage.hub.engineMemory();
    await receiver.more(8000, 30_000);
    expect(await stage.hub.engineMemory()).toBeLessThan(memory + 40 * 1024 * 1024);
    await player.stop();
    expectWhole(await inspect(file), 5);
    expect(receiver.continuityErrors).toBe(0);
    receiver.close();
  });
});

describe('outputs', () => {
  test('reach another server by RTMP push, by SRT call and by multicast', async () => {
    const [from, overRtmp, overSrt] = [
      await stage.rig.addChannel(),
      await stage.rig.addChannel(),
      await stage.rig.addChannel(),
    ];
    const group = `239.255.7.${1 + (process.pid % 250)}`;
    const port = leasePort();
    await from.addOutput({ url: `rtmp://127.0.0.1:${stage.hub.ports.rtmp}/live`, key: overRtmp.pushKey });
    const srt = `srt://127.0.0.1:${stage.hub.ports.srt}?mode=caller&latency=120&streamid=${overSrt.pushKey}`;
    await from.addOutput({ type: 1, url: srt });
    await from.addOutput({ type: 1, url: `udp://${group}:${port}?ttl=1&localaddr=127.0.0.1` });
    publish(from.push.rtmp);
    await Promise.all([from, overRtmp, overSrt].map((one) => one.untilLive(15_000)));
    const urls = [overRtmp.play.rtmp, overSrt.play.srt, `udp://${group}:${port}?localaddr=127.0.0.1`];
    const files = ['push', 'call', 'multicast'].map((kind) => fileIn(stage.folder, `output-${kind}.mkv`));
    const players = urls.map((url, i) => record(url, files[i]!, 5));
    expect(await Promise.all(players.map((player) => player.exited))).toEqual([0, 0, 0]);
    for (const file of files) expectWhole(await inspect(file), 5);
  });

  test('carry RTP from one channel to another, and FFmpeg plays it from a multicast group', async () => {
    const from = await stage.rig.addChannel();
    const group = `239.255.8.${1 + (process.pid % 250)}`;
    const [port, between] = [leasePort(), leasePort()];
    const { of: to } = await stage.rig.addInput({ type: 1, url: `rtp://127.0.0.1:${between}` });
    await from.addOutput({ type: 1, url: `rtp://127.0.0.1:${between}` });
    await to.addOutput({ type: 1, rtp: { host: group, port, ttl: 1, interface: '127.0.0.1' } });
    publish(from.push.srt);
    await to.untilLive(15_000);
    const file = fileIn(stage.folder, 'rtp.mkv');
    expect(await record(`rtp://${group}:${port}?localaddr=127.0.0.1`, file, 5).exited).toBe(0);
    expectWhole(await inspect(file), 5);
    expect((await stage.rig.view(to.id)).input.media?.video?.codec).toBe('h264');
  });

  test('report why they fail: unknown name, closed port, refused key', async () => {
    const channel = await stage.rig.addChannel();
    const nobody = leasePort();
    const rtmp = (host: string, key: string) => ({ url: `rtmp://${host}/live`, key });
    const outputs = [
      await channel.addOutput(rtmp('no-such-host.invalid', 'k')),
      await channel.addOutput(rtmp(`127.0.0.1:${nobody}`, 'k')),
      await channel.addOutput(rtmp(`127.0.0.1:${stage.hub.ports.rtmp}`, 'no-such-key')),
      await channel.addOutput({ type: 1, url: 'srt://no-such-host.invalid:9000?mode=caller&latency=120' }),
      await channel.addOutput({ type: 1, url: `srt://127.0.0.1:${nobody}?mode=caller&latency=120` }),
      await channel.addOutput({
        type: 1,
        url: `srt://127.0.0.1:${stage.hub.ports.srt}?mode=caller&streamid=no-such-key`,
      }),
    ];
    publish(channel.push.rtmp);
    const reasons = async () => {
      const { list } = (await stage.rig.view(channel.id)).outputs;
      return outputs.map(({ id }) => list.find((output) => output.id === id)).map((output) => output?.reason);
    };
    const desired = [
      'dnsFailed',
      'refused',
      'streamRefused',
      'dnsFailed',
      'unreachable',
      /streamRefused|notAuthorized/,
    ];
    const matches = (list: (string | undefined)[]) =>
      list.every((reason, i) => new RegExp(desired[i]!).test(reason ?? ''));
    await until(async () => matches(await reasons()), 20_000, 'each output names its cause').catch(async (error) => {
      throw new Error(`${error}: ${JSON.stringify(await reasons())}`);
    });
  });
});

describe('bad input', () => {
  test('of random bytes on both ports ends with a reason and affects no other stream', async () => {
    const channel = await stage.rig.addChannel();
    publish(channel.push.rtmp);
    await channel.untilLive();
    const file = fileIn(stage.folder, 'beside-noise.mkv');
    const player = record(channel.play.rtmp, file, 8);
    const memory = await stage.hub.engineMemory();
    const noise = crypto.getRandomValues(new Uint8Array(60_000));
    const udp = createSocket('udp4');
    for (let i = 0; i < 200; i++) udp.send(noise.subarray(i * 100, i * 100 + 200), stage.hub.ports.srt, '127.0.0.1');
    for (let i = 0; i < 40; i++) await sendAndWaitForEnd(stage.hub.ports.rtmp, noise);
    udp.close();
    expect(await player.exited).toBe(0);
    expectWhole(await inspect(file), 8);
    expect(await stage.hub.engineMemory()).toBeLessThan(memory + 40 * 1024 * 1024);
  });

  test('from an SRT publisher that sends no transport stream is closed', async () => {
    const channel = await stage.rig.addChannel();
    const url = `srt://127.0.0.1:${stage.hub.ports.srt}?mode=caller&streamid=${channel.pushKey}`;
    const sender = Bun.spawn(['srt-live-transmit', '-q', 'file://con', url], {
      stdin: 'pipe',
      stdout: 'ignore',
      stderr: 'ignore',
    });
    const noise = crypto.getRandomValues(new Uint8Array(1316));
    await until(
      () => {
        sender.stdin.write(noise);
        sender.stdin.flush();
        return stage.hub.logs().includes('reason=noSync');
      },
      15_000,
      'the log names the fault',
    );
    sender.kill('SIGKILL');
    expect((await stage.rig.view(channel.id)).state).not.toBe('live');
  });
});

async function sendAndWaitForEnd(port: number, bytes: Uint8Array): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: { data: () => undefined, close: () => resolve(), error: () => resolve(), connectError: () => resolve() },
  });
  socket.write(bytes);
  socket.flush();
  await promise;
}
