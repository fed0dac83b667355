/** NDI: sources that are received or offered, and how they are sent. The runtime interprets these values. */
import * as z from 'zod/mini';
import { limits } from './limits.ts';
import { oneLine } from './one-line.ts';
import { Host, inWords, isIpv4, isMulticast, Port, SubnetMask } from './rules.ts';

/** Values of the published API. */
export const ndiTransports = { unicast: 0, multicast: 1, reliableUdp: 2, multiTcp: 3 } as const;
export const NdiTransport = z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)], 'choice');
export type NdiTransport = z.infer<typeof NdiTransport>;

/** Groups; '' for the public group. */
export const GroupNames = z.string().check(
  z.maxLength(limits.ndi.list, 'tooLong'),
  z.regex(oneLine, 'characters'),
  z.refine((text) => eachOf(text, (one) => one !== ''), 'characters'),
  inWords('Names separated by commas.'),
);
function eachOf(text: string, isGood: (one: string) => boolean): boolean {
  return text === '' || text.split(',').every((one) => isGood(one.trim()));
}
function isServer(text: string): boolean {
  const [, host = '', port] = /^([^:]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  return Host.safeParse(host).success && (port === undefined || Port.safeParse(Number(port)).success);
}

/** Destination of a source that is sent by multicast; '' leaves the choice to the runtime. */
const multicast = {
  /** The first group; with the mask, the range that the runtime may choose from. */
  'mcast-ip': z.optional(
    z.string().check(
      z.refine((text) => text === '' || (isIpv4(text) && isMulticast(text)), 'multicast'),
      inWords('A multicast group of IPv4, or empty.'),
    ),
  ),
  'mcast-sub-mask': z.optional(z.union([z.literal(''), SubnetMask], 'mask')),
  /** A string in responses, as published; a number is accepted too. */
  'mcast-time-to-live': z.optional(
    z.coerce.string().check(
      z.regex(/^\d{1,9}$/, 'number'),
      // The check above reports a value that is not a number.
      z.refine((text) => !(Number(text) < limits.ttl.min || Number(text) > limits.ttl.max), 'range'),
      inWords(`${limits.ttl.min} to ${limits.ttl.max}.`),
    ),
  ),
};

/** An NDI source: the one that an input receives, or the one that an output offers on the network. */
export const NdiAddress = z.object({
  /** For an input `MACHINE (source)`; an output appears after the name of the hub's machine. */
  name: z.string().check(
    z.minLength(1, 'required'),
    z.maxLength(limits.ndi.name, 'tooLong'),
    z.refine((name) => name === name.trim(), 'outerSpace'),
    inWords('No space at either end.'),
    z.regex(oneLine, 'characters'),
  ),
  /** Separated by commas; empty for the public group. */
  groups: z.optional(GroupNames),
  /** Input: machines to query besides those that are discovered, as IPv4 addresses separated by commas. */
  'extra-ips': z.optional(
    z.string().check(
      z.maxLength(limits.ndi.list, 'tooLong'),
      z.regex(oneLine, 'characters'),
      z.refine((text) => eachOf(text, isIpv4), 'ipv4'),
      inWords('IPv4 addresses separated by commas.'),
    ),
  ),
  /** Discovery servers that know the source, or where it is registered: `host` or `host:port`, separated by commas. */
  'discovery-server': z.optional(
    z.string().check(
      z.maxLength(limits.ndi.list, 'tooLong'),
      z.regex(oneLine, 'characters'),
      z.refine((text) => eachOf(text, isServer), 'host'),
      inWords('`host` or `host:port`, separated by commas.'),
    ),
  ),
  /** Input: the low-resolution preview stream instead of the full one. */
  'low-bandwidth': z.optional(z.boolean()),
  /** How the source is sent; for an input, the requested transport. Null leaves the choice to the runtime. */
  'transport-mode': z.optional(z.nullable(NdiTransport)),
  ...multicast,
});
export type NdiAddress = z.infer<typeof NdiAddress>;

/** The channel's own NDI source, named after the channel. */
export const ChannelNdi = z.object({
  enable: z.boolean(),
  'transport-mode': NdiTransport,
  'mcast-ip': z.string(),
  'mcast-sub-mask': z.string(),
  'mcast-time-to-live': z.string(),
  /** Separated by commas; '' for the public group. */
  group: z.string(),
});
export type ChannelNdi = z.infer<typeof ChannelNdi>;

/** Absent members stay unchanged. */
export const ChannelNdiChange = z.object({
  enable: z.optional(z.boolean()),
  'transport-mode': z.optional(NdiTransport),
  ...multicast,
  group: z.optional(GroupNames),
});
export type ChannelNdiChange = z.infer<typeof ChannelNdiChange>;

/** The defaults of the runtime. */
export const defaultChannelNdi: Omit<ChannelNdi, 'enable'> = {
  'transport-mode': ndiTransports.reliableUdp,
  'mcast-ip': '',
  'mcast-sub-mask': '',
  'mcast-time-to-live': '1',
  group: '',
};
