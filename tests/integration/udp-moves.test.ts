/**
 * Addresses that change and interfaces that are removed and recreated, on a link between two network namespaces where
 * this file runs itself again.
 */
import { afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import type { Subprocess } from 'bun';
import { endpointBinary } from '../../native/common/test-endpoint.ts';
import { packets, UdpRig } from '../../native/udp/test-rig.ts';
import { leasePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { addresses, inOwnNetwork, Neighbour } from './own-network.ts';

setDefaultTimeout(60_000);

inOwnNetwork('inputs and outputs survive changes of addresses and interfaces', import.meta.path, () => {
  let neighbour: Neighbour;
  let rig: UdpRig;
  let feeding: ReturnType<typeof setInterval>;
  const others: Subprocess[] = [];

  beforeAll(() => {
    endpointBinary('udp', 'asan');
  }, 120_000);
  beforeEach(async () => {
    neighbour = await Neighbour.start();
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
    await neighbour.stop();
  });

  function atFarEnd(what: 'receive' | 'send', address: string, port: number) {
    const script = join(import.meta.dir, '../sim/udp-far-end.ts');
    const writer = address.includes(':') ? '::%far' : addresses.IPv4.far;
    const child = Bun.spawn([...neighbour.there, process.execPath, script, what, address, `${port}`, writer], {
      stdout: 'pipe',
      stderr: 'inherit',
    });
    others.push(child);
    let output = '';
    void (async () => {
      for await (const chunk of child.stdout) output += new TextDecoder().decode(chunk);
    })();
    return {
      child,
      isReady: () => output.includes('ready'),
      count: () => Number(output.trim().split('\n').at(-1)) || 0,
    };
  }

  const more = (count: () => number, what: string) => {
    const before = count();
    return until(() => count() > before + 50, 30_000, what);
  };

  for (const family of ['IPv4', 'IPv6'] as const) {
    const { far, group } = addresses[family];
    test.each([
      ['a host', far, ''],
      ['a group', group, 'near'],
    ])(`an ${family} output to %s continues after the address of the machine has changed`, async (_, host, device) => {
      const port = leasePort();
      const receiver = atFarEnd('receive', host, port);
      await until(receiver.isReady);
      rig.say({ op: 'send', id: 1, feed: 7, host, port, ttl: 4, interface: device, rtp: false });
      await rig.event('output-open');
      await more(receiver.count, 'datagrams come');
      neighbour.move(addresses[family]);
      await more(receiver.count, 'datagrams come from the new address');
    });

    test(`an ${family} output whose route is gone for long ends with the reason`, async () => {
      const port = leasePort();
      rig.say({ op: 'send', id: 1, feed: 7, host: far, port, ttl: 0, interface: '', rtp: false });
      await rig.event('output-open');
      neighbour.disconnect();
      expect(await rig.event('output-failed')).toMatchObject({ id: 1, reason: 'unreachable' });
    });

    test(`an ${family} input keeps receiving on an interface that was removed and recreated`, async () => {
      const port = leasePort();
      rig.say({ op: 'receive', id: 1, host: group, port, interface: 'near', source: '', rtp: false });
      await rig.event('input-open');
      const sender = atFarEnd('send', group, port);
      const received = () => rig.bare.received(1).length / 1316;
      await more(received, 'datagrams come');
      neighbour.disconnect();
      sender.child.kill('SIGKILL');
      neighbour.connect();
      atFarEnd('send', group, port);
      await more(received, 'datagrams come over the new interface');
    });
  }
});
