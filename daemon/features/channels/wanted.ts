/** From the configuration to what the media engine shall do. Pure. */
import type { SrtStream, StreamAddress, UdpStream } from '../../lib/stream-address.ts';
import type {
  EngineSettings,
  InputSource,
  OutputTarget,
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
    input: inputSource(channel.input?.address),
    outputs: channel.outputs.map(({ id, enabled, address }) => ({ id, enabled, target: outputTarget(address) })),
  };
}

function inputSource(address: StreamAddress | undefined): InputSource {
  if (address?.protocol === 'srt') return srtEndpoint(address);
  if (address?.protocol === 'udp' || address?.protocol === 'rtp') return udpEndpoint(address);
  return { protocol: 'push' };
}

function outputTarget(address: StreamAddress): OutputTarget {
  if (address.protocol === 'srt') return srtEndpoint(address);
  if (address.protocol === 'udp' || address.protocol === 'rtp') return udpEndpoint(address);
  const { protocol, url, key, username, password } = address;
  return { protocol, url, key, username, password };
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
  };
}

function udpEndpoint({ protocol, host, port, ttl, interface: local, source }: UdpStream): UdpEndpointAddress {
  return { protocol, host, port, ttl, interface: local, source };
}
