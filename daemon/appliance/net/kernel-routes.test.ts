import { expect, test } from 'bun:test';
import { routedBy } from './kernel-routes.ts';

/** As the kernel prints it: eth0 with 192.168.1.0/24 and a default route, wlan0 with 10.88.0.0/24 and another one. */
const table = `Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
wlan0	00000000	0100580A	0003	0	0	600	00000000	0	0	0
eth0	00000000	0101A8C0	0003	0	0	100	00000000	0	0	0
wlan0	0000580A	00000000	0001	0	0	600	00FFFFFF	0	0	0
eth0	0001A8C0	00000000	0001	0	0	100	00FFFFFF	0	0	0
wlan0	0000140A	0200580A	0003	0	0	600	0000FFFF	0	0	0
eth1	0000150A	0000000A	0002	0	0	0	0000FFFF	0	0	0
`;

test('an address is reached by the longest prefix, then by the lowest metric, of the routes that are in effect', () => {
  const by = (address: string) => routedBy(address, table);
  expect(by('192.168.1.7')).toBe('eth0');
  expect(by('10.88.0.7')).toBe('wlan0');
  expect(by('10.20.3.4')).toBe('wlan0');
  expect(by('203.0.113.7')).toBe('eth0');
  expect(by('10.21.3.4')).toBe('eth0');
  expect(by('224.0.0.1')).toBe('eth0');
});

test('this machine itself, addresses of IPv6 and those without a route are reached by no interface', () => {
  expect(routedBy('127.0.0.1', table)).toBeUndefined();
  expect(routedBy('2001:db8::7', table)).toBeUndefined();
  expect(routedBy('203.0.113.7', table.split('\n')[0] as string)).toBeUndefined();
});
