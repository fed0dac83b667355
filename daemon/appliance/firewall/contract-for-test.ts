/** What every packet filter does, seen from peers behind the LAN and the WAN interface of the hub. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { byHub } from '../helper/operations.ts';
import type { FirewallPort } from './port.ts';
import type { FirewallRule, FirewallSetup } from './setup.ts';

/** `tcp` or `udp` and a port, at which the hub answers if the packet filter lets the peer in. */
export type Service = `${'tcp' | 'udp'} ${number}`;

export interface FirewallUnderTest {
  readonly port: FirewallPort;
  /** Returns those that answer, over IPv4 and over IPv6. */
  reaches(from: 'lan' | 'wan', services: readonly Service[]): Promise<Service[]>;
  /** Removes all packet filters, as an administrator does by hand. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export const wanInterface = 'eth1';
export const consolePorts = [80, 443];
/** Where something listens. */
export const services = [
  ...['tcp 80', 'tcp 443', 'tcp 1935', 'tcp 5000', 'tcp 5005', 'tcp 5010', 'tcp 6000'],
  ...['udp 80', 'udp 1935', 'udp 5000', 'udp 5005', 'udp 6000'],
] as readonly Service[];
const console: readonly Service[] = ['tcp 80', 'tcp 443'];

export const rule = (id: number, first: number, last: number, protocols: string): FirewallRule => ({
  ...{ id, first, last },
  ...{ tcp: protocols !== 'udp', udp: protocols !== 'tcp' },
});
export const setupOf = (mode: FirewallSetup['mode'], rules: readonly FirewallRule[] = []): FirewallSetup => ({
  ...{ mode, wan: [wanInterface], console: consolePorts, rules: [...rules] },
});

export function describeFirewall(name: string, create: () => Promise<FirewallUnderTest>): void {
  describe(name, () => {
    let firewall: FirewallUnderTest;
    beforeAll(async () => {
      firewall = await create();
    });
    afterAll(() => firewall.close());
    const apply = (setup: FirewallSetup) => firewall.port.apply(setup, byHub);
    const fromWan = () => firewall.reaches('wan', services);

    test('F1: mode 0 lets in the console and nothing else, mode 1 everything, and the LAN is never filtered', async () => {
      await apply(setupOf(0));
      expect(await fromWan()).toEqual([...console]);
      expect(await firewall.reaches('lan', services)).toEqual([...services]);
      await apply(setupOf(1));
      expect(await fromWan()).toEqual([...services]);
    });

    test('F1: mode -1 lets in what the rules name, by protocol', async () => {
      await apply(setupOf(-1, [rule(1, 5000, 5005, 'tcp'), rule(2, 1935, 1935, 'both'), rule(3, 6000, 6000, 'udp')]));
      const open = ['tcp 80', 'tcp 443', 'tcp 1935', 'tcp 5000', 'tcp 5005', 'udp 1935', 'udp 6000'];
      expect<string[]>(await fromWan()).toEqual(open);
      expect(await firewall.reaches('lan', services)).toEqual([...services]);
    });

    test('F2: the console stays open without rules, and with rules for the ports of the console', async () => {
      for (const rules of [[], [rule(1, 80, 80, 'udp')], [rule(1, 1, 1000, 'udp'), rule(2, 443, 443, 'both')]]) {
        await apply(setupOf(-1, rules));
        expect(await firewall.reaches('wan', console)).toEqual([...console]);
      }
    });

    test('F3: overlapping and repeated rules open what each of them opens', async () => {
      const rules = [rule(1, 5000, 5004, 'tcp'), rule(2, 5003, 5009, 'tcp'), rule(3, 5010, 5010, 'tcp')];
      await apply(setupOf(-1, [...rules, rule(4, 5000, 5004, 'tcp')]));
      expect<string[]>(await firewall.reaches('wan', services)).toEqual([
        ...[...console, 'tcp 5000', 'tcp 5005', 'tcp 5010'],
      ]);
    });

    test('F4: a setup that is refused changes nothing', async () => {
      const before = await apply(setupOf(-1, [rule(1, 5000, 5000, 'tcp')]));
      const wrong = [rule(1, 5010, 5000, 'tcp'), rule(1, 0, 5, 'tcp'), rule(1, 70_000, 70_000, 'tcp')];
      for (const each of wrong) {
        const refused = await apply(setupOf(-1, [each])).then(
          () => false,
          () => true,
        );
        expect(refused).toBe(true);
      }
      expect((await firewall.port.read()).fingerprint).toBe(before.fingerprint);
      expect<string[]>(await fromWan()).toEqual([...console, 'tcp 5000']);
    });

    test('F7: what was removed or changed by hand is noticed, and applied again', async () => {
      const setup = setupOf(-1, [rule(1, 5000, 5000, 'tcp')]);
      const { fingerprint } = await apply(setup);
      expect((await firewall.port.read()).fingerprint).toBe(fingerprint);
      await firewall.flush();
      expect((await firewall.port.read()).fingerprint).not.toBe(fingerprint);
      expect(await fromWan()).toEqual([...services]);
      expect((await apply(setup)).fingerprint).toBe(fingerprint);
      expect<string[]>(await fromWan()).toEqual([...console, 'tcp 5000']);
    });

    test('each rule counts what it lets in, keeps its count when others change, and loses it when it is removed', async () => {
      const [first, second] = [rule(1, 6000, 6000, 'udp'), rule(2, 5000, 5005, 'both')];
      await apply(setupOf(-1, []));
      await apply(setupOf(-1, [first, second]));
      await firewall.reaches('wan', ['udp 6000', 'udp 5000', 'udp 1935']);
      const packetsOf = ({ counters }: { counters: readonly { id: number; packets: number; bytes: number }[] }) =>
        Object.fromEntries(counters.map(({ id, packets, bytes }) => [id, packets > 0 && bytes >= packets]));
      const reading = await firewall.port.read();
      expect(packetsOf(reading)).toEqual({ 1: true, 2: true });
      expect(reading.refused.packets).toBeGreaterThan(0);
      const later = await apply(setupOf(-1, [{ ...first, last: 6001 }, rule(3, 1935, 1935, 'udp')]));
      expect(packetsOf(later)).toEqual({ 1: true, 3: false });
    });
  });
}
