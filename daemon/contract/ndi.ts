/** NDI: sources that are fetched or offered, and how they are sent. What it means is up to the runtime. */
import * as z from 'zod/mini';
import { limits } from './limits.ts';
import { Host, isIpv4, isMulticast, Port, SubnetMask } from './rules.ts';

/** Numbers of the published API. */
export const ndiTransports = { unicast: 0, multicast: 1, reliableUdp: 2, multiTcp: 3 } as const;
export const NdiTransport = z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)], 'choice');
export type NdiTransport = z.infer<typeof NdiTransport>;

const Names = z.string().check(
  z.maxLength(limits.ndi.list, 'tooLong'),
  z.refine((text) => eachOf(text, (one) => one !== ''), 'characters'),
);
function eachOf(text: string, isGood: (one: string) => boolean): boolean {
  return text === '' || text.split(',').every((one) => isGood(one.trim()));
}
function isServer(text: string): boolean {
  const [, host = '', port] = /^([^:]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  return Host.safeParse(host).success && (port === undefined || Port.safeParse(Number(port)).success);
}

/** Where a source that is sent by multicast goes; '' for the runtime's own choice. */
const multicast = {
  /** The first group; with the mask, those that the runtime may choose from. */
  'mcast-ip': z.optional(
    z.string().check(z.refine((text) => text === '' || (isIpv4(text) && isMulticast(text)), 'multicast')),
  ),
  'mcast-sub-mask': z.optional(z.union([z.literal(''), SubnetMask], 'mask')),
  /** A text in answers, as published; a number is taken as well. */
  'mcast-time-to-live': z.optional(
    z.coerce.string().check(
      z.regex(/^\d{1,9}$/, 'number'),
      // What is no number is told above.
      z.refine((text) => !(Number(text) < limits.ttl.min || Number(text) > limits.ttl.max), 'range'),
    ),
  ),
};

/** An NDI source: of an input the one to fetch, of an output what the hub offers on the network. */
export const NdiAddress = z.object({
  /** Of an input `MACHINE (source)`; an output appears behind the name of the hub's machine. */
  name: z.string().check(
    z.minLength(1, 'required'),
    z.maxLength(limits.ndi.name, 'tooLong'),
    z.refine((name) => name === name.trim(), 'outerSpace'),
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
    z.regex(/^[^\u0000-\u001f\u007f]*$/, 'characters'),
  ),
  /** Separated by commas; empty for the public one. */
  groups: z.optional(Names),
  /** Input: machines to ask beside those that are found by themselves, IPv4 addresses separated by commas. */
  'extra-ips': z.optional(
    z.string().check(
      z.maxLength(limits.ndi.list, 'tooLong'),
      z.refine((text) => eachOf(text, isIpv4), 'ipv4'),
    ),
  ),
  /** Discovery servers that know the source, or are told of it: `host` or `host:port`, separated by commas. */
  'discovery-server': z.optional(
    z.string().check(
      z.maxLength(limits.ndi.list, 'tooLong'),
      z.refine((text) => eachOf(text, isServer), 'host'),
    ),
  ),
  /** Input: a small picture instead of the full one. */
  'low-bandwidth': z.optional(z.boolean()),
  /** How it is sent; of an input how it is asked for. Null: up to the runtime. */
  'transport-mode': z.optional(z.nullable(NdiTransport)),
  ...multicast,
});
export type NdiAddress = z.infer<typeof NdiAddress>;

/** The NDI source of a channel itself, which is called as the channel is. */
export const ChannelNdi = z.object({
  enable: z.boolean(),
  'transport-mode': NdiTransport,
  'mcast-ip': z.string(),
  'mcast-sub-mask': z.string(),
  'mcast-time-to-live': z.string(),
  /** Separated by commas; '' for the public one. */
  group: z.string(),
});
export type ChannelNdi = z.infer<typeof ChannelNdi>;

/** What is left out of a change stays. */
export const ChannelNdiChange = z.object({
  enable: z.optional(z.boolean()),
  'transport-mode': z.optional(NdiTransport),
  ...multicast,
  group: z.optional(Names),
});
export type ChannelNdiChange = z.infer<typeof ChannelNdiChange>;

/** Those of the runtime. */
export const defaultChannelNdi: Omit<ChannelNdi, 'enable'> = {
  'transport-mode': ndiTransports.reliableUdp,
  'mcast-ip': '',
  'mcast-sub-mask': '',
  'mcast-time-to-live': '1',
  group: '',
};
