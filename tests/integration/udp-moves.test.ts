/**
 * Addresses that change and interfaces that are removed and created again, on a link between two network namespaces
 * where this file runs itself once more.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import type { Subprocess } from 'bun';
import { endpointBinary } from '../../native/common/test-endpoint.ts';
import { packets, UdpRig } from '../../native/udp/test-rig.ts';
import { leasePort } from '../support/ports.ts';
import { until } from '../support/until.ts';

const isInside = process.env.SIGNALBOX_TEST_NETWORK === 'own';
const asUser = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
const ownNetwork = ['unshare', ...asUser, '--net', '--'];
const canHaveOne = isInside || Bun.spawnSync([...ownNetwork, 'ip', 'link', 'set', 'lo', 'up']).success;

setDefaultTimeout(60_000);

if (isInside) inside();
else {
  test.skipIf(!canHaveOne)(
    'inputs and outputs survive what happens to addresses and interfaces',
    async () => {
      const again = [process.execPath, 'test', `./${import.meta.file}`];
      const child = Bun.spawn([...ownNetwork, ...again], {
        cwd: import.meta.dir,
        env: { ...process.env, SIGNALBOX_TEST_NETWORK: 'own' },
        ...{ stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
      });
      const [out, text] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
      if ((await child.exited) !== 0) throw new Error(`${out}\n${text}`);
    },
    240_000,
  );
}

function inside(): void {
  const families = {
    IPv4: { far: '192.0.2.2', before: '192.0.2.1/24', after: '192.0.2.9/24', group: '239.255.42.7', any: '0.0.0.0' },
    IPv6: { far: '2001:db8::2', before: '2001:db8::1/64', after: '2001:db8::9/64', group: 'ff15::4207', any: '::' },
  } as const;
  const names = ['IPv4', 'IPv6'] as const;
  let neighbour: Subprocess;
  let rig: UdpRig;
  let feeding: ReturnType<typeof setInterval>;
  const others: Subprocess[] = [];

  beforeAll(() => {
    endpointBinary('udp', 'asan');
  }, 120_000);
  beforeEach(async () => {
    neighbour = Bun.spawn(['unshare', '--net', 'sleep', 'infinity']);
    // It has a namespace of its own once it has become the other program.
    await until(
      () => Bun.spawnSync(['readlink', `/proc/${neighbour.pid}/ns/net`]).stdout.toString() !== ownNamespace(),
    );
    ip('link set lo up');
    connect();
    rig = await UdpRig.start();
    let sent = 0;
    feeding = setInterval(() => {
      rig.bare.data(7, sent === 0 ? 1 : 0, packets(7, 7 * sent++));
    }, 10);
  });
  afterEach(async () => {
    clearInterval(feeding);
    for (const one of others.splice(0)) one.kill('SIGKILL');
    await rig.close();
    neighbour.kill('SIGKILL');
    await neighbour.exited;
    Bun.spawnSync(['ip', 'link', 'del', 'near']);
  });
  afterAll(() => neighbour.kill('SIGKILL'));

  const ownNamespace = () => Bun.spawnSync(['readlink', '/proc/self/ns/net']).stdout.toString();

  function command(words: string[]): void {
    const done = Bun.spawnSync(words);
    if (!done.success) throw new Error(`${words.join(' ')}: ${done.stderr}`);
  }
  const ip = (text: string) => command(['ip', ...text.split(' ')]);
  const farIp = (text: string) => command(['nsenter', `--net=/proc/${neighbour.pid}/ns/net`, 'ip', ...text.split(' ')]);
  const addressOf = (text: string) => `address ${text} dev near${text.includes(':') ? ' nodad' : ''}`;

  /** The link, with the first addresses at both ends. */
  function connect(): void {
    ip(`link add near type veth peer name far netns ${neighbour.pid}`);
    for (const { before, far } of Object.values(families)) {
      ip(addressOf(before).replace('address', 'address add'));
      farIp(`address add ${far}/${far.includes(':') ? '64 dev far nodad' : '24 dev far'}`);
    }
    ip('link set near up');
    farIp('link set far up');
    ip('route add 239.0.0.0/8 dev near');
  }

  function atFarEnd(what: 'receive' | 'send', address: string, port: number) {
    const script = join(import.meta.dir, '../sim/udp-far-end.ts');
    const inFar = ['nsenter', `--net=/proc/${neighbour.pid}/ns/net`];
    const outlet = address.includes(':') ? '::%far' : families.IPv4.far;
    const child = Bun.spawn([...inFar, process.execPath, script, what, address, `${port}`, outlet], {
      stdout: 'pipe',
      stderr: 'inherit',
    });
    others.push(child);
    let said = '';
    void (async () => {
      for await (const chunk of child.stdout) said += new TextDecoder().decode(chunk);
    })();
    return { child, isReady: () => said.includes('ready'), count: () => Number(said.trim().split('\n').at(-1)) || 0 };
  }

  const more = (count: () => number, what: string) => {
    const before = count();
    return until(() => count() > before + 50, 30_000, what);
  };

  for (const family of names) {
    const { far, before, after, group } = families[family];
    test.each([
      ['a host', far, ''],
      ['a group', group, 'near'],
    ])(`an ${family} output to %s sends on after the address of the machine has changed`, async (_, host, device) => {
      const port = leasePort();
      const receiver = atFarEnd('receive', host, port);
      await until(receiver.isReady);
      rig.say({ op: 'send', id: 1, feed: 7, host, port, ttl: 4, interface: device, rtp: false });
      await rig.event('output-open');
      await more(receiver.count, 'datagrams come');
      ip(addressOf(before).replace('address', 'address del').replace(' nodad', ''));
      ip(addressOf(after).replace('address', 'address add'));
      await more(receiver.count, 'datagrams come from the new address');
    });

    test(`an ${family} output whose way is gone for long ends with the reason`, async () => {
      const port = leasePort();
      rig.say({ op: 'send', id: 1, feed: 7, host: far, port, ttl: 0, interface: '', rtp: false });
      await rig.event('output-open');
      ip('link del near');
      expect(await rig.event('output-failed')).toMatchObject({ id: 1, reason: 'unreachable' });
    });

    test(`an ${family} input keeps receiving on an interface that was removed and created again`, async () => {
      const port = leasePort();
      rig.say({ op: 'receive', id: 1, host: group, port, interface: 'near', source: '', rtp: false });
      await rig.event('input-open');
      const sender = atFarEnd('send', group, port);
      const received = () => rig.bare.received(1).length / 1316;
      await more(received, 'datagrams come');
      ip('link del near');
      sender.child.kill('SIGKILL');
      connect();
      atFarEnd('send', group, port);
      await more(received, 'datagrams come over the new interface');
    });
  }
}
