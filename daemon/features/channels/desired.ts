/** Builds the desired state of the media engine from the configuration. Pure. */
import { join } from 'node:path';
import type { FailoverRule } from '../../contract/failover.ts';
import type { TsChoice } from '../../lib/input-options.ts';
import {
  isRtspServer,
  type PullStream,
  type RtmpStream,
  type RtspServerStream,
  type SrtStream,
  type StreamAddress,
  type UdpStream,
} from '../../lib/stream-address.ts';
import type {
  FetchSource,
  HttpPullAddress,
  OutputTarget,
  RtmpEndpointAddress,
  RtspPullAddress,
  RtspServerAddress,
  SrtEndpointAddress,
  UdpEndpointAddress,
} from '../../media/protocol/addresses.ts';
import {
  type DesiredChannel,
  type DesiredState,
  type FailoverRule as EngineRule,
  type EngineSettings,
  ndiOutputId,
  type SlateDesired,
} from '../../media/protocol/desired.ts';
import { ndiSource } from './channel-ndi.ts';
import type { ConfiguredChannel } from './configuration.ts';

export function desiredState(
  settings: EngineSettings,
  channels: readonly ConfiguredChannel[],
  slatesDir: string,
): Omit<DesiredState, 'generation'> {
  return { settings, channels: channels.map((channel) => desiredChannel(channel, slatesDir)) };
}

function desiredChannel(channel: ConfiguredChannel, slatesDir: string): DesiredChannel {
  const { backup, failover, slate } = channel;
  const picture = slate && join(slatesDir, slate);
  return {
    id: channel.id,
    name: channel.name,
    enabled: channel.enabled,
    pushKey: channel.pushKey,
    playKey: channel.playKey,
    allow: { rtmp: channel.allowRtmp, srt: channel.allowSrt },
    takeover: channel.takeover,
    inputId: channel.input?.id ?? 0,
    input: channel.input ? fetchSource(channel.input.address) : { protocol: 'push' },
    ...(backup && {
      backup: {
        inputId: backup.id,
        input: fetchSource(backup.address),
        failover: engineRule(failover, slateDesired(failover.slate, picture)),
      },
    }),
    outputs: [
      ...(channel.allowNdiHx ? [{ id: ndiOutputId, enabled: true, target: ndiSource(channel.name, channel.ndi) }] : []),
      ...channel.outputs.map(({ id, enabled, address }) => ({ id, enabled, target: outputTarget(address) })),
    ],
  };
}

function engineRule(rule: FailoverRule, slate: SlateDesired): EngineRule {
  return {
    standby: rule.standby,
    noDataMs: rule['no-data-ms'],
    noVideoMs: rule['no-video-ms'],
    noAudioMs: rule['no-audio-ms'],
    back: rule.back,
    stableSeconds: rule['stable-s'],
    slate,
  };
}

function slateDesired(kind: FailoverRule['slate'], picture: string | undefined): SlateDesired {
  if (kind !== 'picture') return { kind };
  return picture ? { kind, path: picture } : { kind: 'bars' };
}

/** Returns how the engine gets the stream of an input. */
export function fetchSource(address: StreamAddress): FetchSource {
  switch (address.protocol) {
    case 'srt':
      return { ...srtEndpoint(address), maxConnections: 1, ...choiceOf(address) };
    case 'udp':
    case 'rtp':
      return { ...udpEndpoint(address), ...choiceOf(address), ...bufferOf(address) };
    case 'rtmp':
      return { ...rtmpEndpoint(address), ...bufferOf(address) };
    case 'ndi':
      return address;
    case 'rtsp':
    case 'http':
      if (isRtspServer(address)) throw new Error('no input is a server');
      return { ...pulled(address), ...choiceOf(address) };
  }
}

function choiceOf(address: StreamAddress): { readonly ts?: TsChoice } {
  return 'ts' in address && address.ts ? { ts: address.ts } : {};
}

function bufferOf({ bufferMs }: UdpStream | RtmpStream): { readonly bufferMs?: number } {
  return bufferMs === undefined ? {} : { bufferMs };
}

function outputTarget(address: StreamAddress): OutputTarget {
  switch (address.protocol) {
    case 'srt':
      return srtEndpoint(address);
    case 'udp':
    case 'rtp':
      return udpEndpoint(address);
    case 'rtmp':
      return rtmpEndpoint(address);
    case 'ndi':
      return address;
    case 'rtsp':
      if (isRtspServer(address)) return rtspServer(address);
      throw new Error('no output fetches');
    case 'http':
      throw new Error('no output sends to HTTP');
  }
}

function rtmpEndpoint({ protocol, url, key, username, password }: RtmpStream): RtmpEndpointAddress {
  return { protocol, url, key, username, password };
}

function rtspServer({ port, key, maxClients, username, password }: RtspServerStream): RtspServerAddress {
  return { protocol: 'rtsp', port, key, maxClients, username, password };
}

function pulled(address: PullStream): HttpPullAddress | RtspPullAddress {
  const { url, username, password, bufferMs } = address;
  const login = { url, username, password, bufferMs };
  return address.protocol === 'http'
    ? { protocol: 'http', ...login }
    : { protocol: 'rtsp', tcpFirst: address.tcpFirst, ...login };
}

function srtEndpoint(address: SrtStream): SrtEndpointAddress {
  return {
    protocol: 'srt',
    mode: address.mode,
    host: address.host,
    port: address.port,
    latencyMs: address.latency,
    overheadPercent: address.overhead,
    streamId: address.streamId,
    passphrase: address.passphrase,
    keyLength: address.keyLength,
    maxConnections: address.maxConnections,
  };
}

function udpEndpoint({ protocol, host, port, ttl, interface: local, source }: UdpStream): UdpEndpointAddress {
  return { protocol, host, port, ttl, interface: local, source };
}
