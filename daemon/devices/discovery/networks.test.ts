import { expect, test } from 'bun:test';
import type { NetworkInterfaceInfo } from 'node:os';
import { searchNetworks } from './networks.ts';

const at = (cidr: string, internal = false): NetworkInterfaceInfo => ({
  ...{ address: cidr.split('/')[0] ?? '', netmask: '', mac: '', internal, cidr },
  family: 'IPv4',
});
const search = (subnet: string | undefined, ...cidrs: string[]) =>
  searchNetworks(subnet, () => ({ eth0: cidrs.map((cidr) => at(cidr)) }));
const subnets = (...cidrs: string[]) => search(undefined, ...cidrs).map(({ subnet }) => subnet);

test('the private and link-local networks of the hub are searched, each once', () => {
  expect(subnets('192.168.1.9/24', '192.168.1.10/24', '169.254.3.4/24', '10.0.0.1/32', '198.51.100.3/24')).toEqual([
    '192.168.1.0/24',
    '169.254.3.0/24',
  ]);
  expect(searchNetworks(undefined, () => ({ lo: [at('127.0.0.1/8', true)], none: undefined }))).toEqual([]);
});

test('of a larger network, 1024 addresses around the one of the hub are tried', () => {
  const [network] = search(undefined, '10.20.31.7/8');
  expect(network?.subnet).toBe('10.20.28.0/22');
  const hosts = [...(network?.hosts() ?? [])];
  expect(hosts).toHaveLength(1023);
  expect([hosts[0], hosts.at(-1)]).toEqual(['10.20.28.0', '10.20.31.255']);
  // Announcements come from all of it.
  expect([network?.contains('10.200.0.1'), network?.contains('11.0.0.1')]).toEqual([true, false]);
});

test('the addresses of the network itself, of the broadcast and of the hub are not tried', () => {
  const [network] = search(undefined, '192.168.1.2/29');
  expect([...(network?.hosts() ?? [])]).toEqual([
    '192.168.1.1',
    '192.168.1.3',
    '192.168.1.4',
    '192.168.1.5',
    '192.168.1.6',
  ]);
  expect(network?.contains('192.168.1.7')).toBe(false);
  expect([...(search(undefined, '192.168.1.2/31')[0]?.hosts() ?? [])]).toEqual(['192.168.1.3']);
});

test('a part of a network of the hub can be chosen', () => {
  const [network] = search('10.20.40.0/30', '192.168.1.2/24', '10.20.31.7/16');
  expect(network?.own).toBe('10.20.31.7');
  expect([...(network?.hosts() ?? [])]).toEqual(['10.20.40.0', '10.20.40.1', '10.20.40.2', '10.20.40.3']);
});

test('a link with a private IPv6 network is asked from its link-local address, and no address of it is tried', () => {
  const v6 = (cidr: string) => ({ ...at(cidr), family: 'IPv6' as const, scopeid: 4 });
  const networks = searchNetworks(undefined, () => ({
    eth0: [at('192.168.1.9/24'), v6('fd00::2/64'), v6('fe80::1/64'), v6('2001:db8::2/64')],
    eth1: [v6('fe80::2/64'), v6('2001:db8:1::2/64')],
    lo: [{ ...v6('::1/128'), internal: true }],
  }));
  expect(networks.map(({ own, subnet }) => [own, subnet])).toEqual([
    ['192.168.1.9', '192.168.1.0/24'],
    ['fe80::1%eth0', 'IPv6 (eth0)'],
  ]);
  const [, link] = networks;
  expect([...(link?.hosts() ?? [])]).toEqual([]);
  const near = ['fd00::77', 'fe80::77%eth0'];
  const far = ['fe80::77%eth1', 'fe80::77', 'fd01::1', '2001:db8::3', '192.168.1.10', 'fd00::2', 'x'];
  expect([...near, ...far].filter((address) => link?.contains(address))).toEqual(near);
});

test.each([
  ['10.20.0.0/16', 'subnet'],
  ['10.20.0.0', 'subnet'],
  ['10.20.0.256/24', 'subnet'],
  ['fd00::/64', 'subnet6'],
  ['fe80::/64', 'subnet6'],
  ['192.168.2.0/24', 'ownSubnet'],
  ['192.168.0.0/23', 'ownSubnet'],
  ['203.0.113.0/24', 'ownSubnet'],
])('the subnet %s is refused', (subnet, rule) => {
  expect(() => search(subnet, '192.168.1.2/24', '203.0.113.2/24')).toThrow(
    expect.objectContaining({ result: 'invalidArgument', fields: [expect.objectContaining({ path: 'subnet', rule })] }),
  );
});
