/** Finds simulated devices on a real link: multicast, HTTP and HTTPS between two network namespaces. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import type { Subprocess } from 'bun';
import { type DiscoveryMethod, discoveryMethods, type FoundDevice } from '../../daemon/contract/discovery.ts';
import { createDevicePorts } from '../../daemon/devices/device-ports.ts';
import type { Discovery } from '../../daemon/devices/discovery/discover.ts';
import { createLog } from '../../daemon/lib/log.ts';
import { privateAllowed } from '../support/outgoing.ts';
import { until } from '../support/until.ts';
import { inOwnNetwork, Neighbour } from './own-network.ts';

setDefaultTimeout(60_000);

inOwnNetwork('devices of the network are found', import.meta.path, () => {
  let neighbour: Neighbour;
  let far: Subprocess;
  let discovery: Discovery;

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
    await until(() => output.includes('ready') && neighbour.isReadyForIPv6);
    const log = createLog('error', () => {});
    const ports = createDevicePorts({
      outgoing: () => privateAllowed,
      agentSocket: () => undefined,
      agentPort: () => 'offline',
      log,
    });
    discovery = await ports.loadDiscovery();
  });
  afterAll(async () => {
    far.kill('SIGKILL');
    await neighbour.stop();
  });

  async function search(...methods: readonly DiscoveryMethod[]) {
    const found = new Map<string, Omit<FoundDevice, 'added'>>();
    await discovery.run({
      ...{ methods, networks: discovery.networks(undefined), signal: new AbortController().signal },
      onFound: (host, one) => void found.set(host, one),
      onProgress: () => {},
    });
    return found;
  }

  test('by mDNS, SSDP, WS-Discovery and by their addresses, with what they say', async () => {
    const found = await search(...discoveryMethods);
    const mac = expect.stringMatching(/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/);
    expect(Object.fromEntries(found)).toMatchObject({
      '10.9.0.2': { address: 'http://10.9.0.2', name: 'Hall é', api: 'usapi', by: ['mdns'], mac },
      '10.9.0.3': { address: 'http://10.9.0.3:8123', name: 'Gate', model: 'Dome 4', api: 'onvif', by: ['wsDiscovery'] },
      '10.9.0.4': {
        ...{ address: 'https://10.9.0.4', api: 'mwapi', by: ['scan'] },
        pin: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      '10.9.0.5': {
        ...{ address: 'http://10.9.0.5:8124', name: 'Stage', model: 'Ultra', maker: 'Example', sn: 'B313240506012' },
        ...{ api: 'usapi', by: ['mdns', 'ssdp'] },
      },
      '10.9.0.6': { name: 'Printer', api: undefined, by: ['ssdp'] },
      'fd09::8': { address: 'http://[fd09::8]', name: 'Loft', api: 'usapi', by: ['mdns'] },
    });
    // The hostile one announces itself, and nothing else.
    const expected = [...['2', '3', '4', '5', '6', '7'].map((last) => `10.9.0.${last}`), 'fd09::8'];
    expect([...found.keys()].toSorted()).toEqual(expected);
    expect(found.get('10.9.0.7')).toMatchObject({ by: ['ssdp'], api: undefined, name: undefined });
  });

  test('only by the chosen way', async () => {
    const [cameras, services] = await Promise.all([search('wsDiscovery'), search('mdns')]);
    expect([...cameras.keys()]).toEqual(['10.9.0.3']);
    expect([...services.keys()].toSorted()).toEqual(['10.9.0.2', '10.9.0.5', 'fd09::8']);
  });
});
