/** Addresses of NDI sources and their URL form: `ndi://MACHINE%20(source)?groups=&extraips=&bandwidth=low&transport=`. */
import { NdiAddress, type NdiTransport, ndiTransports } from '../contract/ndi.ts';
import { type InputOptions, takeOptions } from './input-options.ts';

export interface NdiStream {
  readonly protocol: 'ndi';
  /** For an input `MACHINE (source)`; for an output the part after the name of this machine. */
  readonly name: string;
  /** Separated by commas; '' for the public group. */
  readonly groups: string;
  /** Machines to query besides those that are discovered, separated by commas. */
  readonly extraIps: string;
  readonly lowBandwidth: boolean;
  /** Separated by commas. Absent if there are none; the following are absent if the runtime chooses. */
  readonly discovery?: string;
  readonly transport?: NdiTransport;
  readonly multicast?: NdiMulticast;
  /** Jitter buffer of an input, milliseconds. */
  readonly bufferMs?: number;
}
/** '' leaves the choice to the runtime. */
export interface NdiMulticast {
  readonly group: string;
  readonly mask: string;
  readonly ttl: number;
}

type Parsed =
  | { readonly address: NdiStream; readonly options?: Partial<InputOptions> }
  | { readonly fault: { readonly rule: string; readonly detail: string } };

const fault = (rule: string, detail: string): Parsed => ({ fault: { rule, detail } });
const members: Readonly<Record<string, keyof NdiAddress>> = {
  groups: 'groups',
  extraips: 'extra-ips',
  discovery: 'discovery-server',
  bandwidth: 'low-bandwidth',
  transport: 'transport-mode',
  group: 'mcast-ip',
  mask: 'mcast-sub-mask',
  ttl: 'mcast-time-to-live',
};
const bandwidths: Readonly<Record<string, boolean>> = { low: true, high: false };
const transports: Readonly<Record<string, NdiTransport>> = {
  unicast: ndiTransports.unicast,
  multicast: ndiTransports.multicast,
  rudp: ndiTransports.reliableUdp,
  'multi-tcp': ndiTransports.multiTcp,
};
const chosen: Readonly<Record<string, Readonly<Record<string, boolean | NdiTransport>>>> = {
  bandwidth: bandwidths,
  transport: transports,
};
const defaultTtl = 1;

export function parseNdiUrl(url: string): Parsed {
  const [, encoded = '', query = ''] = /^ndi:\/\/([^?]*)(?:\?(.*))?$/is.exec(url) ?? [];
  const params = new URLSearchParams(query);
  const options = takeOptions(params, ['mw-buffer-duration']);
  if ('fault' in options) return options as Parsed;
  const typed: Record<string, unknown> = {};
  for (const [name, value] of params) {
    const member = Object.hasOwn(members, name) ? members[name] : undefined;
    if (member === undefined) return fault('unknownOption', name.slice(0, 40));
    if (Object.hasOwn(typed, member)) return fault('repeated', name);
    const choices = chosen[name];
    if (choices && !Object.hasOwn(choices, value)) return fault('choice', name);
    typed[member] = choices ? choices[value] : value;
  }
  const checked = NdiAddress.safeParse({ name: decoded(encoded), ...typed });
  const address = checked.success && ndiStream(checked.data);
  if (address) return Object.keys(options).length === 0 ? { address } : { address, options };
  const [issue] = checked.error?.issues ?? [];
  return fault(issue?.message ?? 'url', String(issue?.path[0] ?? 'url'));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** Members that the typed address omits are taken from `kept`, or stay empty. */
export function ndiStream(typed: NdiAddress, kept?: NdiStream): NdiStream {
  const discovery = typed['discovery-server'] ?? kept?.discovery ?? '';
  const transport = typed['transport-mode'] === undefined ? kept?.transport : (typed['transport-mode'] ?? undefined);
  const multicast = {
    group: typed['mcast-ip'] ?? kept?.multicast?.group ?? '',
    mask: typed['mcast-sub-mask'] ?? kept?.multicast?.mask ?? '',
    ttl: Number(typed['mcast-time-to-live'] ?? kept?.multicast?.ttl ?? defaultTtl),
  };
  const isUsual = multicast.group === '' && multicast.mask === '' && multicast.ttl === defaultTtl;
  return {
    protocol: 'ndi',
    name: typed.name,
    groups: typed.groups ?? kept?.groups ?? '',
    extraIps: typed['extra-ips'] ?? kept?.extraIps ?? '',
    lowBandwidth: typed['low-bandwidth'] ?? kept?.lowBandwidth ?? false,
    ...(discovery !== '' && { discovery }),
    ...(transport !== undefined && { transport }),
    ...(!isUsual && { multicast }),
  };
}

export function formatNdiUrl({ name, transport, multicast, ...rest }: NdiStream): string {
  const transportName = Object.keys(transports).find((word) => transports[word] === transport) ?? '';
  const query = [
    ['groups', rest.groups],
    ['extraips', rest.extraIps],
    ['discovery', rest.discovery ?? ''],
    ['bandwidth', rest.lowBandwidth ? 'low' : ''],
    ['transport', transportName],
    ['group', multicast?.group ?? ''],
    ['mask', multicast?.mask ?? ''],
    ['ttl', multicast && multicast.ttl !== defaultTtl ? String(multicast.ttl) : ''],
  ].flatMap(([option, value = '']) => (value === '' ? [] : [`${option}=${encodeURIComponent(value)}`]));
  return `ndi://${encodeURIComponent(name)}${query.length > 0 ? `?${query.join('&')}` : ''}`;
}

export function showNdi(address: NdiStream): NdiAddress {
  const { name, groups, extraIps, lowBandwidth, discovery, transport, multicast } = address;
  return {
    ...{ name, groups, 'extra-ips': extraIps, 'low-bandwidth': lowBandwidth },
    ...(discovery !== undefined && { 'discovery-server': discovery }),
    ...(transport !== undefined && { 'transport-mode': transport }),
    ...(multicast && {
      'mcast-ip': multicast.group,
      'mcast-sub-mask': multicast.mask,
      'mcast-time-to-live': String(multicast.ttl),
    }),
  };
}
