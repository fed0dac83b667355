/** The form of inputs and outputs: its fields, what they become on the wire, and which rules they break. */
import * as z from 'zod/mini';
import type { InputConfig } from '../../../../daemon/contract/inputs.ts';
import { limits } from '../../../../daemon/contract/limits.ts';
import { NdiAddress } from '../../../../daemon/contract/ndi.ts';
import type { OutputConfig, ShownConfig } from '../../../../daemon/contract/outputs.ts';
import { isMulticast, OptionalBuffer, SourceName } from '../../../../daemon/contract/rules.ts';
import {
  HttpSource,
  protocolOf,
  RtmpTarget,
  RtspServer,
  RtspSource,
  SrtAddress,
  TsSelection,
  UdpAddress,
} from '../../../../daemon/contract/streams.ts';
import { type FieldFaults, faultsOf } from '../../lib/schema-form.ts';
import { type NdiValues, ndiFields, ndiOf, ndiValues, noNdi } from './ndi-form.ts';

/** RTSP is fetched by an input and served by an output. */
export type SourceProtocol = 'rtmp' | 'srt' | 'udp' | 'rtp' | 'rtsp' | 'rtspServer' | 'http' | 'ndi';

/** Numbers are text while they are typed. */
export interface SourceValues extends NdiValues {
  readonly name: string;
  readonly protocol: SourceProtocol;
  readonly rtmpUrl: string;
  readonly rtmpKey: string;
  readonly rtmpAuth: boolean;
  readonly rtmpUser: string;
  readonly rtmpPassword: string;
  readonly srtMode: 'caller' | 'listener';
  readonly srtHost: string;
  readonly srtPort: string;
  readonly srtLatency: string;
  readonly srtOverhead: string;
  readonly srtStreamId: string;
  readonly srtKeyLength: string;
  readonly srtPassphrase: string;
  readonly srtMaxConnections: string;
  readonly pullUrl: string;
  readonly pullTcpFirst: boolean;
  readonly pullBuffer: string;
  readonly pullAuth: boolean;
  readonly pullUser: string;
  readonly pullPassword: string;
  readonly servedPort: string;
  readonly servedKey: string;
  readonly servedMaxClients: string;
  readonly servedAuth: boolean;
  readonly servedUser: string;
  readonly servedPassword: string;
  readonly udpHost: string;
  readonly udpPort: string;
  readonly udpTtl: string;
  readonly udpInterface: string;
  readonly udpSource: string;
  /** Of UDP, RTP, RTMP and NDI; empty where nothing is held. */
  readonly heldFor: string;
  /** Empty for the first or, with no track either, for everything. */
  readonly tsProgram: string;
  /** Empty for all. */
  readonly tsAudioTrack: string;
}

export const noSource: SourceValues = {
  ...noNdi,
  name: '',
  protocol: 'srt',
  rtmpUrl: '',
  rtmpKey: '',
  rtmpAuth: false,
  rtmpUser: '',
  rtmpPassword: '',
  srtMode: 'caller',
  srtHost: '',
  srtPort: '',
  srtLatency: String(limits.latency.default),
  srtOverhead: String(limits.bandwidthOverhead.default),
  srtStreamId: '',
  srtKeyLength: '0',
  srtPassphrase: '',
  srtMaxConnections: String(limits.maxConnections.default),
  pullUrl: '',
  pullTcpFirst: true,
  pullBuffer: String(limits.bufferDuration.default),
  pullAuth: false,
  pullUser: '',
  pullPassword: '',
  servedPort: '8554',
  servedKey: '',
  servedMaxClients: String(limits.maxConnections.default),
  servedAuth: false,
  servedUser: '',
  servedPassword: '',
  udpHost: '',
  udpPort: '',
  udpTtl: String(limits.ttl.default),
  udpInterface: '',
  udpSource: '',
  heldFor: '',
  tsProgram: '',
  tsAudioTrack: '',
};

/** A stored source as form values; secrets come back empty, which leaves them as they are. */
export function valuesOf(source: { name: string; protocol: number; config: ShownConfig }): SourceValues {
  const { config } = source;
  const { srt, udp = config.rtp, ndi } = config;
  const stored = protocolOf(source.protocol);
  const protocol = stored === 'rtsp' && config.port !== undefined ? 'rtspServer' : stored;
  return {
    ...noSource,
    name: source.name,
    protocol: protocol ?? 'srt',
    heldFor: protocol !== undefined && isHeldByChoice(protocol) ? textOf(config['buffer-duration']) : '',
    tsProgram: textOf(config.program),
    tsAudioTrack: textOf(config['audio-track']),
    ...(protocol === 'rtmp' && {
      rtmpUrl: config.url,
      rtmpKey: config.key ?? '',
      rtmpAuth: config['enable-auth'] ?? false,
      rtmpUser: config.username ?? '',
    }),
    ...((protocol === 'rtsp' || protocol === 'http') && {
      pullUrl: config.url,
      pullTcpFirst: config['tcp-first'] ?? true,
      pullBuffer: String(config['buffer-duration'] ?? limits.bufferDuration.default),
      pullAuth: config['enable-auth'] ?? false,
      pullUser: config.username ?? '',
    }),
    ...(protocol === 'rtspServer' && {
      servedPort: String(config.port),
      servedKey: config.key ?? '',
      servedMaxClients: String(config['max-client-num'] ?? limits.maxConnections.default),
      servedAuth: config['enable-auth'] ?? false,
      servedUser: config.username ?? '',
    }),
    ...(srt && {
      srtMode: srt.mode,
      srtHost: srt.host,
      srtPort: String(srt.port),
      srtLatency: String(srt.latency),
      srtOverhead: String(srt['bandwidth-overhead'] ?? limits.bandwidthOverhead.default),
      srtStreamId: srt['stream-id'] ?? '',
      srtKeyLength: String(srt['pb-key-len'] ?? 0),
      srtMaxConnections: String(srt['max-connections'] ?? limits.maxConnections.default),
    }),
    ...(udp && {
      udpHost: udp.host,
      udpPort: String(udp.port),
      udpTtl: String(udp.ttl ?? limits.ttl.default),
      udpInterface: udp.interface ?? '',
      udpSource: udp.source ?? '',
    }),
    ...(ndi && ndiValues(ndi)),
  };
}

const textOf = (choice: number | undefined) => (choice ? String(choice) : '');
const numberOf = (text: string) => (text.trim() === '' ? Number.NaN : Number(text));

function rtmpOf(values: SourceValues) {
  const { rtmpUrl, rtmpKey, rtmpAuth, rtmpUser, rtmpPassword } = values;
  return {
    url: rtmpUrl.trim(),
    key: rtmpKey,
    'enable-auth': rtmpAuth,
    ...(rtmpAuth && { username: rtmpUser, ...(rtmpPassword !== '' && { password: rtmpPassword }) }),
  };
}

function pullOf(values: SourceValues) {
  const { pullUrl, pullBuffer, pullAuth, pullUser, pullPassword } = values;
  return {
    url: pullUrl.trim(),
    'buffer-duration': numberOf(pullBuffer),
    'enable-auth': pullAuth,
    ...(values.protocol === 'rtsp' && { 'tcp-first': values.pullTcpFirst }),
    ...(pullAuth && { username: pullUser, ...(pullPassword !== '' && { password: pullPassword }) }),
  };
}

function servedOf(values: SourceValues) {
  const { servedPort, servedKey, servedMaxClients, servedAuth, servedUser, servedPassword } = values;
  return {
    port: numberOf(servedPort),
    key: servedKey.trim(),
    'max-client-num': numberOf(servedMaxClients),
    'enable-auth': servedAuth,
    ...(servedAuth && { username: servedUser, ...(servedPassword !== '' && { password: servedPassword }) }),
  };
}

function srtOf(values: SourceValues) {
  const keyLength = Number(values.srtKeyLength) as 0 | 16 | 24 | 32;
  return {
    mode: values.srtMode,
    host: values.srtMode === 'listener' && values.srtHost === '' ? '0.0.0.0' : values.srtHost.trim(),
    port: numberOf(values.srtPort),
    latency: numberOf(values.srtLatency),
    'bandwidth-overhead': numberOf(values.srtOverhead),
    'stream-id': values.srtStreamId,
    'pb-key-len': keyLength,
    ...(values.srtMode === 'listener' && { 'max-connections': numberOf(values.srtMaxConnections) }),
    ...(keyLength !== 0 && values.srtPassphrase !== '' && { passphrase: values.srtPassphrase }),
  };
}

function udpOf({ udpHost, udpPort, udpTtl, udpInterface, udpSource }: SourceValues) {
  const host = udpHost.trim();
  return {
    host,
    port: numberOf(udpPort),
    ...(isMulticast(host) && {
      ttl: numberOf(udpTtl),
      ...(udpInterface.trim() !== '' && { interface: udpInterface.trim() }),
      ...(udpSource.trim() !== '' && { source: udpSource.trim() }),
    }),
  };
}

/** Whether an input of this protocol may take part of what comes. */
export const isTransportStream = (protocol: SourceProtocol): boolean =>
  protocol === 'srt' || protocol === 'udp' || protocol === 'rtp' || protocol === 'http';

/** Whether an input of this protocol is held only when somebody wishes it. */
const isHeldByChoice = (protocol: SourceProtocol): boolean =>
  protocol === 'udp' || protocol === 'rtp' || protocol === 'rtmp' || protocol === 'ndi';

function optionsOf(values: SourceValues) {
  return {
    ...(isTransportStream(values.protocol) && choiceOf(values)),
    ...(isHeldByChoice(values.protocol) && { 'buffer-duration': numberOf(values.heldFor.trim() || '0') }),
  };
}

function choiceOf({ tsProgram, tsAudioTrack }: SourceValues) {
  return { program: numberOf(tsProgram.trim() || '0'), 'audio-track': numberOf(tsAudioTrack.trim() || '0') };
}

/** Fits inputs and outputs alike. */
export type SourceConfig = Omit<InputConfig, 'type'> & Pick<OutputConfig, 'type' | 'port' | 'max-client-num'>;

/** What an output sends is always whole. */
export function configOf(values: SourceValues, isInput = false): SourceConfig {
  return isInput ? { ...addressOf(values), ...optionsOf(values) } : addressOf(values);
}

function addressOf(values: SourceValues): SourceConfig {
  switch (values.protocol) {
    case 'rtmp':
      return rtmpOf(values);
    case 'srt':
      return { type: 1, srt: srtOf(values) };
    case 'udp':
      return { type: 1, udp: udpOf(values) };
    case 'rtp':
      return { type: 1, rtp: udpOf(values) };
    case 'rtspServer':
      return { type: 0, ...servedOf(values) };
    case 'rtsp':
    case 'http':
      return { type: 1, ...pullOf(values) };
    case 'ndi':
      return { type: 1, ndi: ndiOf(values) };
  }
}

const choiceFields = { program: 'tsProgram', 'audio-track': 'tsAudioTrack' } as const;
const heldFields = { 'buffer-duration': 'heldFor' } as const;
const pullFields = {
  ...choiceFields,
  url: 'pullUrl',
  'buffer-duration': 'pullBuffer',
  username: 'pullUser',
  password: 'pullPassword',
} as const;
const datagramFields = {
  ...choiceFields,
  ...heldFields,
  host: 'udpHost',
  port: 'udpPort',
  ttl: 'udpTtl',
  interface: 'udpInterface',
  source: 'udpSource',
} as const;

/** Fields of the form by member of the request. */
const fields = {
  rtmp: { ...heldFields, url: 'rtmpUrl', key: 'rtmpKey', username: 'rtmpUser', password: 'rtmpPassword' },
  srt: {
    ...choiceFields,
    mode: 'srtMode',
    host: 'srtHost',
    port: 'srtPort',
    latency: 'srtLatency',
    'bandwidth-overhead': 'srtOverhead',
    'stream-id': 'srtStreamId',
    'pb-key-len': 'srtKeyLength',
    passphrase: 'srtPassphrase',
    'max-connections': 'srtMaxConnections',
  },
  udp: datagramFields,
  rtp: datagramFields,
  rtsp: pullFields,
  rtspServer: {
    port: 'servedPort',
    key: 'servedKey',
    'max-client-num': 'servedMaxClients',
    username: 'servedUser',
    password: 'servedPassword',
  },
  http: pullFields,
  ndi: { ...heldFields, ...ndiFields },
} as const satisfies Record<SourceProtocol, Record<string, keyof SourceValues>>;

/** `protocol` is the one of the form: several have members without a form of their own. */
export function fieldOfPath(path: string, protocol: SourceProtocol): string {
  const [, form, member] = /^config(?:\.(srt|udp|rtp|ndi))?\.(.+)$/.exec(path) ?? [];
  if (member === undefined) return path;
  const own: Readonly<Record<string, string>> = fields[(form as SourceProtocol | undefined) ?? protocol];
  return own[member] ?? path;
}

interface Known {
  /** A secret that is stored already need not be typed again. */
  readonly hasPassphrase: boolean;
  readonly hasPassword: boolean;
}

const Named = z.object({ name: SourceName });
const Options = z.extend(TsSelection, { 'buffer-duration': z.optional(OptionalBuffer) });

export function checkSource(values: SourceValues, known: Known): FieldFaults {
  const faults: FieldFaults = faultsOf(Named, { name: values.name });
  const add = (protocol: SourceProtocol, found: FieldFaults) => {
    const own: Readonly<Record<string, string>> = fields[protocol];
    for (const [member, rule] of Object.entries(found)) faults[own[member] ?? member] ??= rule;
  };
  add(values.protocol, faultsOf(Options, optionsOf(values)));
  switch (values.protocol) {
    case 'rtmp':
      add('rtmp', faultsOf(RtmpTarget, rtmpOf(values)));
      if (values.rtmpAuth && values.rtmpUser === '') faults.rtmpUser ??= 'required';
      if (values.rtmpAuth && values.rtmpPassword === '' && !known.hasPassword) faults.rtmpPassword ??= 'required';
      return faults;
    case 'srt':
      add('srt', faultsOf(SrtAddress, srtOf(values)));
      if (values.srtKeyLength !== '0' && values.srtPassphrase === '' && !known.hasPassphrase) {
        faults.srtPassphrase ??= 'passphraseNeeded';
      }
      return faults;
    case 'rtspServer':
      add('rtspServer', faultsOf(RtspServer, servedOf(values)));
      if (values.servedAuth && values.servedUser === '') faults.servedUser ??= 'required';
      if (values.servedAuth && values.servedPassword === '' && !known.hasPassword) faults.servedPassword ??= 'required';
      return faults;
    case 'rtsp':
    case 'http':
      add(values.protocol, faultsOf(values.protocol === 'rtsp' ? RtspSource : HttpSource, pullOf(values)));
      if (values.pullAuth && values.pullUser === '') faults.pullUser ??= 'required';
      if (values.pullAuth && values.pullPassword === '' && !known.hasPassword) faults.pullPassword ??= 'required';
      return faults;
    case 'udp':
    case 'rtp':
      add(values.protocol, faultsOf(UdpAddress, udpOf(values)));
      return faults;
    case 'ndi':
      add('ndi', faultsOf(NdiAddress, ndiOf(values)));
      return faults;
  }
}

/**
 * The address as others would write it; undefined while parts are missing. Secrets are bullets. `hub`: how this browser
 * reaches the hub.
 */
export function previewOf(values: SourceValues, hub: string): string | undefined {
  const dots = '••••••';
  switch (values.protocol) {
    case 'rtmp':
      return values.rtmpUrl === ''
        ? undefined
        : `${values.rtmpUrl.replace(/\/$/, '')}/${values.rtmpKey === '' ? '' : dots}`;
    case 'srt': {
      const { host, port, mode, latency } = srtOf(values);
      if (host === '' || Number.isNaN(port)) return undefined;
      const id = values.srtStreamId === '' ? '' : `&streamid=${encodeURIComponent(values.srtStreamId)}`;
      const key = values.srtKeyLength === '0' ? '' : `&pbkeylen=${values.srtKeyLength}&passphrase=${dots}`;
      return `srt://${bracketed(host)}:${port}?mode=${mode}&latency=${latency}${id}${key}`;
    }
    case 'rtspServer': {
      const { port, key } = servedOf(values);
      return key === '' || Number.isNaN(port) ? undefined : `rtsp://${hub}:${port}/${key}`;
    }
    case 'rtsp':
    case 'http':
      return values.pullUrl.trim() || undefined;
    case 'ndi':
      return values.ndiName.trim() === '' ? undefined : `ndi://${values.ndiName.trim()}`;
    case 'udp':
    case 'rtp': {
      const { host, port, ttl, source } = udpOf(values);
      if (host === '' || Number.isNaN(port)) return undefined;
      const options = [...(ttl === undefined ? [] : [`ttl=${ttl}`]), ...(source ? [`source=${source}`] : [])].join('&');
      return `${values.protocol}://${bracketed(host)}:${port}${options && `?${options}`}`;
    }
  }
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
