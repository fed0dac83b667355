/** Settings of an Ethernet port, as the form of the console checks them, too. */
import * as z from 'zod/mini';
import { ipv4Number, isHostAddress, isHostIn, netOf, overlap, prefixOf } from './ipv4.ts';
import { inWords, isIpv4, isSubnetMask } from './rules.ts';

/** The Ethernet ports, by the label that is printed next to them. */
export const ethernetPorts = ['eth1', 'eth2'] as const;
export type EthernetPort = (typeof ethernetPorts)[number];

const isHost = (text: string) => isHostAddress(ipv4Number(text) ?? 0);
const Address = z.string().check(
  z.refine((text) => text === '' || isIpv4(text), 'ipv4'),
  z.refine((text) => !isIpv4(text) || isHost(text), 'hostAddress'),
  inWords('An IPv4 address that a host can have; empty for none.'),
);
const Mask = z.string().check(
  z.refine((text) => text === '' || isSubnetMask(text), 'mask'),
  inWords('A subnet mask of IPv4; empty with DHCP.'),
);

const portFields = {
  /** Whether address, mask, gateway and, unless they are set here, DNS servers come from a DHCP server. */
  dhcp: z.boolean(),
  /** Required without DHCP, and ignored with it, as are mask and gateway. */
  ip: Address,
  mask: Mask,
  /** Within the network of address and mask; empty for none. */
  gateway: Address,
  'primary-dns': Address,
  'secondary-dns': Address,
};
/** As the hub returns it. */
export const PortFields = z.object(portFields);
export type PortSettings = z.infer<typeof PortFields>;

type Fault = readonly [member: keyof PortSettings, rule: string];

/** What is wrong between the members of one port. */
export function portFaults(port: PortSettings): Fault[] {
  const { 'primary-dns': primary, 'secondary-dns': secondary } = port;
  const faults: Fault[] = [];
  if (secondary !== '' && primary === '') faults.push(['primary-dns', 'required']);
  if (secondary !== '' && secondary === primary) faults.push(['secondary-dns', 'unique']);
  return port.dhcp ? faults : [...faults, ...addressFaults(port)];
}

function addressFaults({ ip, mask, gateway }: PortSettings): Fault[] {
  const [address, prefix] = [ipv4Number(ip), prefixOf(mask)];
  const missing = [
    ...(ip === '' ? [['ip', 'required'] as const] : []),
    ...(mask === '' ? [['mask', 'required'] as const] : []),
  ];
  if (address === undefined || prefix === undefined) return missing;
  if (!isHostIn(address, prefix)) return [['ip', 'hostAddress']];
  if (gateway === '') return [];
  const [router, { first, last }] = [ipv4Number(gateway) ?? -1, netOf(address, prefix)];
  const isInside = router >= first && router <= last && isHostIn(router, prefix) && router !== address;
  return isInside ? [] : [['gateway', 'gateway']];
}

/** Whether both ports have fixed addresses in networks that overlap: answers would leave by the wrong one. */
export function shareNetwork(a: PortSettings, b: PortSettings): boolean {
  const nets = [a, b].map(({ dhcp, ip, mask }) => {
    const [address, prefix] = [ipv4Number(ip), prefixOf(mask)];
    return dhcp || address === undefined || prefix === undefined ? undefined : netOf(address, prefix);
  });
  const [one, other] = nets;
  return one !== undefined && other !== undefined && overlap(one, other);
}

/** A check of a schema with these members. */
export const noFaults: z.core.CheckFn<PortSettings> = ({ value, issues }) => {
  for (const [member, message] of portFaults(value)) {
    issues.push({ code: 'custom', path: [member], message, input: value[member] });
  }
};
export const PortSettings = PortFields.check(
  noFaults,
  inWords('The DNS servers differ, the gateway is in the network, and the address is that of a host in it.'),
);

/** Seconds in which a change must be confirmed, or it is undone; 0: it is final, which needs `accept-risk`. */
export const ConfirmNetworkWithin = z.int('number').check(
  z.refine((value) => value === 0 || (value >= 10 && value <= 600), {
    ...{ error: 'range', params: { min: 10, max: 600, or: 0 } },
  }),
  z.meta({ anyOf: [{ const: 0 }, { minimum: 10, maximum: 600 }] }),
);
export const defaultConfirmSeconds = 60;
