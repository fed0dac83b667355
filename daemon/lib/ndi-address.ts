/** Addresses of NDI sources and their URL form: `ndi://MACHINE%20(source)?groups=&extraips=&bandwidth=low`. */
import { NdiAddress } from '../contract/streams.ts';

export interface NdiStream {
  readonly protocol: 'ndi';
  /** Of an input `MACHINE (source)`; of an output what others see behind the name of this machine. */
  readonly name: string;
  /** Separated by commas; '' for the public one. */
  readonly groups: string;
  /** Machines to ask beside those that are found, separated by commas. */
  readonly extraIps: string;
  readonly lowBandwidth: boolean;
}

type Parsed = { readonly address: NdiStream } | { readonly fault: { readonly rule: string; readonly detail: string } };

const fault = (rule: string, detail: string): Parsed => ({ fault: { rule, detail } });
const options: Readonly<Record<string, 'groups' | 'extra-ips' | 'low-bandwidth'>> = {
  groups: 'groups',
  extraips: 'extra-ips',
  bandwidth: 'low-bandwidth',
};

export function parseNdiUrl(url: string): Parsed {
  const [, encoded = '', query = ''] = /^ndi:\/\/([^?]*)(?:\?(.*))?$/is.exec(url) ?? [];
  const members: Record<string, string | boolean> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    const member = Object.hasOwn(options, name) ? options[name] : undefined;
    if (member === undefined) return fault('unknownOption', name.slice(0, 40));
    if (Object.hasOwn(members, member)) return fault('repeated', name);
    if (name === 'bandwidth' && value !== 'low' && value !== 'high') return fault('choice', name);
    members[member] = name === 'bandwidth' ? value === 'low' : value;
  }
  const checked = NdiAddress.safeParse({ name: decoded(encoded), ...members });
  if (checked.success) return { address: ndiStream(checked.data) };
  const [issue] = checked.error.issues;
  return fault(issue?.message ?? 'url', String(issue?.path[0] ?? 'url'));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** What a typed address leaves out is as in `kept`, or nothing. */
export function ndiStream(typed: NdiAddress, kept?: NdiStream): NdiStream {
  return {
    protocol: 'ndi',
    name: typed.name,
    groups: typed.groups ?? kept?.groups ?? '',
    extraIps: typed['extra-ips'] ?? kept?.extraIps ?? '',
    lowBandwidth: typed['low-bandwidth'] ?? kept?.lowBandwidth ?? false,
  };
}

export function formatNdiUrl({ name, groups, extraIps, lowBandwidth }: NdiStream): string {
  const query = [
    ...(groups === '' ? [] : [`groups=${encodeURIComponent(groups)}`]),
    ...(extraIps === '' ? [] : [`extraips=${encodeURIComponent(extraIps)}`]),
    ...(lowBandwidth ? ['bandwidth=low'] : []),
  ].join('&');
  return `ndi://${encodeURIComponent(name)}${query && `?${query}`}`;
}

export function showNdi({ name, groups, extraIps, lowBandwidth }: NdiStream): NdiAddress {
  return { name, groups, 'extra-ips': extraIps, 'low-bandwidth': lowBandwidth };
}
