/** Sources and destinations of streams in the protocol between hub and engine. */
import type { TsChoice } from '../../lib/input-options.ts';
import type { NdiStream } from '../../lib/ndi-address.ts';
import type { UdpStream } from '../../lib/stream-address.ts';

export interface SrtEndpointAddress {
  readonly protocol: 'srt';
  readonly mode: 'caller' | 'listener';
  readonly host: string;
  readonly port: number;
  readonly latencyMs: number;
  readonly overheadPercent: number;
  readonly streamId: string;
  readonly passphrase: string;
  readonly keyLength: number;
  /** For a listener: maximum number of connections at a time; 1 for an input. */
  readonly maxConnections: number;
  /** For an input; if absent, the whole stream passes. */
  readonly ts?: TsChoice;
}
/** A transport stream over UDP, plain or in RTP. */
export type UdpEndpointAddress = UdpStream;
export interface RtmpEndpointAddress {
  readonly protocol: 'rtmp';
  /** Up to the application name. */
  readonly url: string;
  readonly key: string;
  readonly username: string;
  readonly password: string;
}

/** A stream pulled from another RTMP server. */
export interface RtmpPullAddress extends RtmpEndpointAddress {
  /** As for UDP. */
  readonly bufferMs?: number;
}
/** A stream pulled from an RTSP server. */
export interface RtspPullAddress {
  readonly protocol: 'rtsp';
  /** `rtsp[s]://…` without credentials. */
  readonly url: string;
  /** Interleaved media first, with UDP as the fallback; otherwise the other way round. */
  readonly tcpFirst: boolean;
  readonly username: string;
  readonly password: string;
  /** How long to wait for UDP packets that arrive out of order, milliseconds. */
  readonly bufferMs: number;
}
/** A stream pulled over HTTP: a transport stream, or an HLS playlist. */
export interface HttpPullAddress {
  readonly protocol: 'http';
  /** `http[s]://…` without credentials. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** Jitter buffer: how long packets are held to absorb delays, milliseconds. */
  readonly bufferMs: number;
  readonly ts?: TsChoice;
}

/** An output that players pull: `rtsp://…:port/key`. */
export interface RtspServerAddress {
  readonly protocol: 'rtsp';
  readonly port: number;
  /** The path. */
  readonly key: string;
  readonly maxClients: number;
  /** '' accepts any client. */
  readonly username: string;
  readonly password: string;
}

/** An NDI source: for an input the one to receive, for an output the one that the hub offers. */
export type NdiAddress = NdiStream;

export type OutputTarget =
  | SrtEndpointAddress
  | UdpEndpointAddress
  | RtmpEndpointAddress
  | RtspServerAddress
  | NdiAddress;
/** A stream that the hub pulls or receives itself. */
export type FetchSource = Exclude<InputSource, { protocol: 'push' }>;
/** `push`: a publisher with the channel's push key. */
export type InputSource =
  | { readonly protocol: 'push' }
  | SrtEndpointAddress
  | UdpEndpointAddress
  | RtmpPullAddress
  | RtspPullAddress
  | HttpPullAddress
  | NdiAddress;
