/** From the configuration to what the media engine shall do. Pure. */
import type { PullStream, RtmpStream, SrtStream, StreamAddress, UdpStream } from '../../lib/stream-address.ts';
import type {
  EngineSettings,
  FetchSource,
  HttpPullAddress,
  OutputTarget,
  RtmpEndpointAddress,
  RtspPullAddress,
  SrtEndpointAddress,
  UdpEndpointAddress,
  WantedChannel,
  WantedState,
} from '../../media/protocol.ts';
import type { ConfiguredChannel } from './configuration.ts';

export function wantedState(
  settings: EngineSettings,
  channels: readonly ConfiguredChannel[],
): Omit<WantedState, 'generation'> {
  return { settings, channels: channels.map(wantedChannel) };
}

function wantedChannel(channel: ConfiguredChannel): WantedChannel {
  return {
    id: channel.id,
    name: channel.name,
    enabled: channel.enabled,
    pushKey: channel.pushKey,
    playKey: channel.playKey,
    allow: { rtmp: channel.allowRtmp, srt: channel.allowSrt },
    inputId: channel.input?.id ?? 0,
    input: channel.input ? fetchSource(channel.input.address) : { protocol: 'push' },
    outputs: channel.outputs.map(({ id, enabled, address }) => ({ id, enabled, target: outputTarget(address) })),
  };
}

/** How the engine gets the stream of an input. */
export function fetchSource(address: StreamAddress): FetchSource {
  if (address.protocol === 'srt') return { ...srtEndpoint(address), maxConnections: 1 };
  return address.protocol === 'http' || address.protocol === 'rtsp' ? pulled(address) : outputTarget(address);
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
    case 'rtsp':
    case 'http':
      throw new Error(`no output sends to ${address.protocol}`);
  }
}

function rtmpEndpoint({ protocol, url, key, username, password }: RtmpStream): RtmpEndpointAddress {
  return { protocol, url, key, username, password };
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
