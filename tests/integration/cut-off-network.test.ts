/**
 * Connections that fail for reasons outside both ends: names, routes, hosts that drop everything, and missing programs.
 * This file runs itself again in a separate network and file system for this.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leasePort } from '../support/ports.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { killAll, publish, run } from './live-media.ts';
import { type NameServer, startNameServer } from './name-server.ts';
import { RelayRig, type RigChannel } from './relay-rig.ts';
import { timeDivisor } from './scaled-timing.ts';

const isInside = process.env.SIGNALBOX_TEST_NETWORK === 'own';
const asUser = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
const ownNetwork = ['unshare', ...asUser, '--net', '--mount', '--'];
const canHaveOne = isInside || Bun.spawnSync([...ownNetwork, 'ip', 'link', 'set', 'lo', 'up']).success;

setDefaultTimeout(90_000);

/** A network with a neighbor that accepts every packet and answers none, and with names that this test serves. */
const setUp = [
  'ip link set lo up',
  'ip link add near type veth peer name far',
  'ip address add 198.51.100.1/24 dev near',
  'ip link set near up',
  'ip link set far up',
  'ip neighbour add 198.51.100.2 lladdr 02:00:00:00:00:02 dev near',
  'mount --bind "$SIGNALBOX_TEST_FOLDER/resolv.conf" /etc/resolv.conf',
  'exec "$@"',
].join(' && ');

if (!isInside) {
  test.skipIf(!canHaveOne)(
    'in a separate network, every connection reports its fault',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'sb-network-'));
      writeFileSync(join(folder, 'resolv.conf'), 'nameserver 127.0.0.1\noptions timeout:2 attempts:2\n');
      const again = [process.execPath, 'test', `./${import.meta.file}`];
      const child = Bun.spawn([...ownNetwork, 'sh', '-c', setUp, 'sh', ...again], {
        cwd: import.meta.dir,
        env: { ...process.env, SIGNALBOX_TEST_NETWORK: 'own', SIGNALBOX_TEST_FOLDER: folder },
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: 'pipe',
      });
      const [out, text] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
      rmSync(folder, { recursive: true, force: true });
      if ((await child.exited) !== 0) throw new Error(`${out}\n${text}`);
      console.log(
        text
          .split('\n')
          .filter((line) => /^\(pass\)|^\s*\d+ pass/.test(line))
          .join('\n'),
      );
    },
    240_000,
  );
} else {
  inside();
}

function inside(): void {
  let hub: HubProcess;
  let rig: RelayRig;
  let studio: RigChannel;
  let names: NameServer;
  const swallows = '198.51.100.2';
  const nowhere = '192.0.2.1';

  beforeAll(async () => {
    names = await startNameServer();
    hub = await startHub({ timeDivisor });
    await hub.login();
    rig = new RelayRig(hub);
    studio = await rig.addChannel();
    publish(studio.push.rtmp);
    await studio.input.untilGood();
  });
  afterAll(async () => {
    await killAll();
    await hub.stop();
    names.stop();
  });

  /** An output or input of each protocol to that host, where the hub itself would answer. */
  async function everyWay(host: string) {
    const { rtmp, srt, hls } = hub.ports;
    const [toRtmp, toSrt] = [await rig.addChannel(), await rig.addChannel()];
    const port = leasePort();
    const call = { mode: 'caller', host, port: srt, latency: 120 } as const;
    const connections = {
      rtmpPush: await studio.addOutput({ url: `rtmp://${host}:${rtmp}/live`, key: toRtmp.pushKey }),
      rtmpPull: await rig.addInput({ url: `rtmp://${host}:${rtmp}/live`, key: studio.playKey }),
      srtPush: await studio.addOutput({ srt: { ...call, 'stream-id': toSrt.pushKey } }),
      srtPull: await rig.addInput({ srt: { ...call, 'stream-id': studio.playKey } }),
      http: await rig.addInput({ url: `http://${host}:${hls}/live/${studio.playKey}.ts` }),
      rtsp: await rig.addInput({ url: `rtsp://${host}:${leasePort()}/cam` }),
      udp: await studio.addOutput({ udp: { host, port } }),
    };
    return connections;
  }

  describe.concurrent('in a separate network', () => {
    test('a name that does not exist fails as not found, and connects as soon as it exists', async () => {
      const { rtsp, ...others } = await everyWay('later.example');
      const missing = { conn: 'dnsFailed', reason: 'dnsFailed', state: 'failed' } as const;
      await Promise.all([rtsp, ...Object.values(others)].map((connection) => connection.until(missing)));
      names.add('later.example', '127.0.0.1');
      const took = await Promise.all(
        Object.entries(others).map(async ([name, connection]) => [name, await connection.untilGood()]),
      );
      console.error('ms after the name is there:', JSON.stringify(Object.fromEntries(took)));
      // There is no RTSP server, which the test notices only now.
      await rtsp.until({ conn: 'tcpFailed', reason: 'refused', state: 'failed' });
      names.remove('later.example');
      const { reconnects } = await others.srtPush.now();
      await others.rtmpPush.change({ url: `rtmp://later.example:${hub.ports.rtmp}/live`, key: 'another' });
      await others.rtmpPush.until(missing);
      names.add('later.example', '127.0.0.1');
      await others.rtmpPush.until({ conn: 'streamFailed', reason: 'streamRefused', state: 'failed' });
      expect(await others.srtPush.now()).toMatchObject({ 'conn-state': 10, reconnects });
    });

    test('a host that answers nothing', async () => {
      const { udp, ...connections } = await everyWay(swallows);
      await Promise.all(
        Object.values(connections).map((connection) =>
          connection.until({ conn: 'tcpFailed', reason: 'unreachable', state: 'failed' }, 30_000),
        ),
      );
      // A sender of datagrams does not learn whether they arrive.
      await udp.until({ conn: 'connected', reason: undefined, state: 'running' });
    });

    test('a network without a route', async () => {
      const connections = await everyWay(nowhere);
      await Promise.all(
        Object.values(connections).map((connection) =>
          connection.until({ conn: 'tcpFailed', reason: 'unreachable', state: 'failed' }, 30_000),
        ),
      );
    });
  });

  describe('in a separate network, sequentially', () => {
    test('with a silent name server names are not found, also with more than 32 requests at once, until it answers', async () => {
      names.mode = 'silent';
      const { rtsp, ...others } = await everyWay('quiet.example');
      const desired = { conn: 'dnsFailed', reason: 'dnsFailed', state: 'failed' } as const;
      await Promise.all([rtsp, ...Object.values(others)].map((connection) => connection.until(desired, 40_000)));
      const crowd = await rig.addChannel();
      const call = { mode: 'caller', port: 9, latency: 120 } as const;
      const hosts = Array.from({ length: 40 }, (_, n) => `crowd-${n}.example`);
      const callers = await Promise.all(hosts.map((host) => crowd.addOutput({ srt: { ...call, host } })));
      publish(crowd.push.srt);
      await Promise.all(callers.map((connection) => connection.until(desired)));
      expect(hub.logs()).toContain('name lookup failed (EBUSY)');
      await hub.api('/api/channel/del', { id: crowd.id });
      names.add('quiet.example', '127.0.0.1');
      names.mode = 'answers';
      await Promise.all(Object.values(others).map((connection) => connection.untilGood(40_000)));
    });

    test('inputs and outputs report a missing endpoint, and recover once it is there', async () => {
      const srt = await rig.addInput({
        srt: { mode: 'caller', host: '127.0.0.1', port: hub.ports.srt, latency: 120, 'stream-id': studio.playKey },
      });
      const door = { mode: 'listener', host: '127.0.0.1', port: leasePort(), latency: 120 } as const;
      const listener = await rig.addInput({ srt: door });
      const udp = await rig.addInput({ udp: { host: '127.0.0.1', port: leasePort() } });
      await srt.untilGood();
      const empty = join(process.env.SIGNALBOX_TEST_FOLDER ?? '', 'empty');
      mkdirSync(empty);
      const builds = ['srt', 'udp'].map((name) => join(import.meta.dir, `../../native/${name}/build`));
      for (const build of builds) expect(await run(['mount', '--bind', empty, build]).exited).toBe(0);
      for (const of of ['srt', 'udp'] as const) process.kill(await hub.endpointPid(of), 'SIGKILL');
      const missing = { conn: 'creationFailed', reason: 'partMissing', state: 'failed' } as const;
      await Promise.all([srt, listener, udp].map((connection) => connection.until(missing)));
      for (const build of builds) expect(await run(['umount', build]).exited).toBe(0);
      await srt.untilGood(60_000);
      for (const connection of [listener, udp])
        await connection.until({ conn: 'waitingForData', reason: 'noData' }, 60_000);
    });
  });
}
