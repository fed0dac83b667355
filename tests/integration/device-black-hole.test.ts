/** A network that drops the packets of a device, without a word to either end: what the hub says, and when it recovers. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import type { Subprocess } from 'bun';
import type { Device } from '../../daemon/contract/devices.ts';
import { until, untilSeen } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { inOwnNetwork, Neighbour } from './own-network.ts';
import { scaledTiming, timeDivisor } from './scaled-timing.ts';

setDefaultTimeout(60_000);

const { fleet, deviceCall } = scaledTiming;
const slackMs = 5000;
/** Nobody has it: the link carries the packets, and the other end takes none of them. */
const nobody = '02:00:00:00:00:99';

inOwnNetwork('a device whose packets are lost is offline, and the others are not disturbed', import.meta.path, () => {
  const [lost, calm] = ['B313240506011', 'B313240506012'];
  let neighbour: Neighbour;
  let far: Subprocess;
  let hub: HubProcess;

  beforeAll(async () => {
    neighbour = await Neighbour.start();
    neighbour.joinNetwork(
      '10.9.0.1/28',
      ['2', '3', '4', '5', '6', '7'].map((last) => `10.9.0.${last}/28`),
    );
    neighbour.joinNetwork('fd09::1/64 nodad', ['fd09::8/64 nodad']);
    const script = join(import.meta.dir, '../sim/devices/neighbors.ts');
    const child = Bun.spawn([...neighbour.there, process.execPath, script], { stdout: 'pipe', stderr: 'inherit' });
    far = child;
    let output = '';
    void (async () => {
      for await (const chunk of child.stdout) output += new TextDecoder().decode(chunk);
    })();
    await until(() => output.includes('ready'));
    hub = await startHub({ env: { SIGNALBOX_FEATURES: 'devices' }, timeDivisor });
    await hub.login();
  });
  afterAll(async () => {
    await hub.stop();
    far.kill('SIGKILL');
    await neighbour.stop();
  });

  const shown = async (sn: string) => (await hub.api<{ list: [Device] }>('/api/device/list', { sn: [sn] })).list[0];
  const ip = (...words: string[]) => {
    const done = Bun.spawnSync(['ip', ...words]);
    if (!done.success) throw new Error(`ip ${words.join(' ')}: ${done.stderr}`);
  };

  test('the loss is a timeout after two attempts, and ends by itself', async () => {
    const login = { user: 'Admin', password: 'Admin' };
    const list = ['10.9.0.2', 'http://10.9.0.5:8124'].map((address) => ({ address, ...login }));
    expect(await hub.api('/api/device/add', { list })).toMatchObject({ list: [{ sn: lost }, { sn: calm }] });
    const isOnline = ({ connection }: Device) => connection === 'online';
    for (const sn of [lost, calm]) await untilSeen(() => shown(sn), isOnline, slackMs, `${sn} is online`);
    const { since } = await shown(calm);

    ip('neigh', 'replace', '10.9.0.2', 'lladdr', nobody, 'dev', 'near', 'nud', 'permanent');
    const withinMs = fleet.unwatchedMs * 1.2 + fleet.againMs + 2 * deviceCall.answerMs + slackMs;
    const isLost = ({ connection, problem }: Device) => connection === 'offline' && problem === 'timeout';
    await untilSeen(() => shown(lost), isLost, withinMs, 'the loss is shown');

    ip('neigh', 'del', '10.9.0.2', 'dev', 'near');
    await untilSeen(() => shown(lost), isOnline, fleet.longestPauseMs * 1.2 + slackMs, 'the device is online again');
    expect(await shown(lost)).not.toHaveProperty('problem');
    expect(await shown(calm)).toMatchObject({ connection: 'online', since });
  });
});
