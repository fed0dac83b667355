/** The real packet filter, changed by the real helper, in a network namespace; judged from peers at both interfaces. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  consolePorts,
  describeFirewall,
  type FirewallUnderTest,
  rule,
  type Service,
  services,
  setupOf,
  wanInterface,
} from '../../daemon/appliance/firewall/contract-for-test.ts';
import { createNftables } from '../../daemon/appliance/firewall/nftables.ts';
import { rulesetCommands } from '../../daemon/appliance/firewall/ruleset.ts';
import { createHelperClient } from '../../daemon/appliance/helper/client.ts';
import { byHub } from '../../daemon/appliance/helper/operations.ts';
import { applyFirewall } from '../../daemon/roles/helper/firewall.ts';
import { inOwnNetwork } from '../integration/own-network.ts';
import { type HelperSocket, openHelperSocket } from '../support/helper-socket.ts';
import { type Peer, plugIn } from './peer.ts';
import { answers, type EchoService, echo, type Protocol } from './traffic.ts';

setDefaultTimeout(60_000);

const hub = { lan: ['192.168.50.10', 'fd00:50::10'], wan: ['10.77.0.10', 'fd00:77::10'] } as const;
const far = { lan: '192.168.50.1', wan: '10.77.0.1' } as const;

inOwnNetwork('the packet filter of the appliance, in a network namespace', import.meta.path, () => {
  let lan: Peer;
  let wan: Peer;
  let folder: string;
  const echoes = new Map<Service, EchoService>();
  let helper: HelperSocket;
  const nft = (...args: string[]) => Bun.spawnSync(['/usr/sbin/nft', ...args]);

  const firewall = (): FirewallUnderTest => ({
    port: createNftables(createHelperClient(helper.path)),
    async reaches(from, wanted) {
      const peer = from === 'wan' ? wan : lan;
      const places = hub[from].flatMap((host) => wanted.map((service) => [...partsOf(service, host)] as const));
      const seen = await peer.ask('answers', places);
      const byFamily = hub[from].map((_, at) => wanted.filter((_service, place) => seen[at * wanted.length + place]));
      expect(byFamily[1]).toEqual(byFamily[0] ?? []);
      return byFamily[0] ?? [];
    },
    async flush() {
      expect(nft('flush', 'ruleset').success).toBe(true);
    },
    close: async () => {},
  });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'signalbox-nft-'));
    helper = openHelperSocket({ folder });
    [lan, wan] = await Promise.all([
      plugIn({ name: 'eth0', hub: ['192.168.50.10/24', 'fd00:50::10/64'], peer: [`${far.lan}/24`, 'fd00:50::1/64'] }),
      plugIn({
        name: wanInterface,
        hub: ['10.77.0.10/24', 'fd00:77::10/64'],
        peer: [`${far.wan}/24`, 'fd00:77::1/64'],
      }),
    ]);
    for (const service of services) {
      const [protocol, , port] = partsOf(service, '');
      echoes.set(service, await echo(protocol, port));
    }
  });
  afterAll(async () => {
    await Promise.all([lan.leave(), wan.leave(), helper.close()]);
    rmSync(folder, { recursive: true });
  });

  describeFirewall('nftables', async () => firewall());

  describe('nftables', () => {
    const apply = (setup: Parameters<ReturnType<typeof firewall>['port']['apply']>[0]) =>
      firewall().port.apply(setup, byHub);

    test('F4: a batch that nft refuses changes nothing', async () => {
      const before = await apply(setupOf(-1, [rule(1, 5000, 5000, 'tcp')]));
      const text = JSON.stringify(
        rulesetCommands(setupOf(-1, [rule(1, 5005, 5005, 'tcp'), rule(2, 1935, 1935, 'udp')]), []),
      );
      const broken = Bun.spawnSync(['/usr/sbin/nft', '--json', '--file', '-'], {
        stdin: Buffer.from(text.replaceAll('1935', '99999')),
      });
      expect(broken.success).toBe(false);
      expect((await firewall().port.read()).fingerprint).toBe(before.fingerprint);
      expect<string[]>(await firewall().reaches('wan', services)).toEqual(['tcp 80', 'tcp 443', 'tcp 5000']);
    });

    test('F5: replacing the rules again and again loses no packet of an open port, and lets none into a closed one', async () => {
      const [one, other] = [
        setupOf(-1, [rule(1, 6000, 6000, 'udp'), rule(2, 5005, 5005, 'udp')]),
        setupOf(-1, [rule(1, 6000, 6000, 'udp')]),
      ];
      await apply(one);
      let isOver = false;
      let replaced = 0;
      const replacing = (async () => {
        while (!isOver) {
          await applyFirewall({ setup: replaced % 2 === 0 ? other : one });
          replaced += 1;
        }
      })();
      const received = (service: Service) => echoes.get(service)?.received() ?? 0;
      const before = { open: received('udp 6000'), closed: received('udp 5000') };
      const open = await wan.ask('blast', hub.wan[0], 6000, { ms: 3000 });
      const closed = await wan.ask('blast', hub.wan[0], 5000, { ms: 500 });
      isOver = true;
      await replacing;
      console.log(`${replaced} replacements, ${open.sent} datagrams`);
      expect(replaced).toBeGreaterThan(20);
      expect(open.sent).toBeGreaterThan(1000);
      expect(received('udp 6000') - before.open).toBe(open.sent);
      expect(closed.sent).toBeGreaterThan(20);
      expect(received('udp 5000')).toBe(before.closed);
    });

    test('F6: a port that is closed ends its connections at once; those of the console and of the hub continue', async () => {
      await apply(setupOf(-1, [rule(1, 1935, 1935, 'tcp')]));
      await wan.ask('echo', 'tcp', 9000);
      await wan.ask('echo', 'udp', 9000);
      expect(await wan.ask('open', hub.wan[0], 1935)).toBe(true);
      expect(await wan.ask('open', hub.wan[0], 443)).toBe(true);
      await apply(setupOf(0));
      expect(await wan.ask('isOpen', 1935)).toBe(false);
      expect(await wan.ask('isOpen', 443)).toBe(true);
      expect(await answers('tcp', far.wan, 9000)).toBe(true);
      expect(await answers('udp', far.wan, 9000)).toBe(true);
    });

    test('F7: objects of others in its table do not keep the firewall from being restored', async () => {
      const { fingerprint } = await apply(setupOf(0));
      nft('delete table inet signalbox');
      nft('add table inet signalbox');
      nft('add set inet signalbox open_tcp { type ipv4_addr; }');
      expect((await firewall().port.read()).fingerprint).not.toBe(fingerprint);
      expect((await apply(setupOf(0))).fingerprint).toBe(fingerprint);
      expect<string[]>(await firewall().reaches('wan', services)).toEqual(['tcp 80', 'tcp 443']);
    });

    test('F2: an address that opens connections to the console without end is slowed down, and others are not', async () => {
      await apply(setupOf(0));
      const [from = 0, host = ''] = [300, hub.wan[0]];
      const served = await wan.ask('crowd', host, consolePorts[0] ?? 0, from);
      expect(served).toBeGreaterThanOrEqual(50);
      expect(served).toBeLessThan(from);
      expect(await lan.ask('crowd', hub.lan[0], consolePorts[0] ?? 0, from)).toBe(from);
      // Over IPv6, it is another address.
      expect(await wan.ask('answers', [['tcp', hub.wan[1], consolePorts[0] ?? 0]])).toEqual([true]);
    });
  });
});

function partsOf(service: Service, host: string): [Protocol, string, number] {
  const [protocol, port] = service.split(' ');
  return [protocol === 'tcp' ? 'tcp' : 'udp', host, Number(port)];
}
