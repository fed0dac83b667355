/** Converts the API's typed forms of SRT, UDP, RTP and NDI to addresses, and back without secrets. */
import { limits } from '../contract/limits.ts';
import type { NdiAddress } from '../contract/ndi.ts';
import type { SrtAddress, UdpAddress } from '../contract/stream-fields.ts';
import { keptFor } from './kept-secrets.ts';
import type { NdiStream, SrtStream, UdpStream } from './stream-address.ts';

/** Members that the typed address omits are taken from `stored`, or get the default; see kept-secrets.ts for moves. */
export function srtStream(typed: SrtAddress, stored?: SrtStream): SrtStream {
  const kept = keptFor(stored, typed);
  // A caller does not use it.
  const keptRoom = typed.mode === 'listener' ? kept?.maxConnections : undefined;
  const passphrase = typed.passphrase ?? kept?.passphrase ?? '';
  const keyLength = typed['pb-key-len'] ?? (typed.passphrase === undefined ? kept?.keyLength : kept?.keyLength || 16);
  return {
    protocol: 'srt',
    mode: typed.mode,
    host: typed.host,
    port: typed.port,
    latencyMs: typed.latency,
    overheadPercent: typed['bandwidth-overhead'] ?? kept?.overheadPercent ?? limits.bandwidthOverhead.default,
    streamId: typed['stream-id'] ?? kept?.streamId ?? '',
    keyLength: keyLength ?? 0,
    passphrase: keyLength === 0 ? '' : passphrase,
    maxConnections: typed['max-connections'] ?? keptRoom ?? limits.maxConnections.default,
    ...(typed['stream-id'] === undefined && kept?.isKeyHidden && { isKeyHidden: true }),
  };
}

export function showSrt(address: Omit<SrtStream, 'streamId'>) {
  return {
    mode: address.mode,
    host: address.host,
    port: address.port,
    latency: address.latencyMs,
    'bandwidth-overhead': address.overheadPercent,
    'pb-key-len': address.keyLength,
    'max-connections': address.maxConnections,
  };
}

export function udpStream(protocol: UdpStream['protocol'], typed: UdpAddress, kept?: UdpStream): UdpStream {
  return {
    protocol,
    host: typed.host,
    port: typed.port,
    ttl: typed.ttl ?? kept?.ttl ?? limits.ttl.default,
    interface: typed.interface ?? kept?.interface ?? '',
    source: typed.source ?? kept?.source ?? '',
  };
}

export function showUdp({ host, port, ttl, interface: local, source }: UdpStream): UdpAddress {
  return { host, port, ttl, ...(local !== '' && { interface: local }), ...(source !== '' && { source }) };
}

const defaultNdiTtl = 1;

/** Members that the typed address omits are taken from `kept`, or stay empty. */
export function ndiStream(typed: NdiAddress, kept?: NdiStream): NdiStream {
  const discovery = typed['discovery-server'] ?? kept?.discovery ?? '';
  const transport = typed['transport-mode'] === undefined ? kept?.transport : (typed['transport-mode'] ?? undefined);
  const multicast = {
    group: typed['mcast-ip'] ?? kept?.multicast?.group ?? '',
    mask: typed['mcast-sub-mask'] ?? kept?.multicast?.mask ?? '',
    ttl: Number(typed['mcast-time-to-live'] ?? kept?.multicast?.ttl ?? defaultNdiTtl),
  };
  const isUsual = multicast.group === '' && multicast.mask === '' && multicast.ttl === defaultNdiTtl;
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
