/** Where streams come from and go to, as hub and engine name it. */
import type { TsChoice } from '../lib/input-options.ts';
import type { NdiStream } from '../lib/ndi-address.ts';
import type { UdpStream } from '../lib/stream-address.ts';

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
  /** Of a listener: how many may be connected at a time; an input takes one. */
  readonly maxConnections: number;
  /** Of an input; without it everything passes. */
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

/** A stream fetched from another RTMP server. */
export interface RtmpPullAddress extends RtmpEndpointAddress {
  /** As that of UDP. */
  readonly bufferMs?: number;
}
/** A stream fetched from an RTSP server. */
export interface RtspPullAddress {
  readonly protocol: 'rtsp';
  /** `rtsp[s]://…` without credentials. */
  readonly url: string;
  /** Packets over the connection itself, and over UDP where the server has no such; else the other way round. */
  readonly tcpFirst: boolean;
  readonly username: string;
  readonly password: string;
  /** How long packets of UDP may be out of order. */
  readonly bufferMs: number;
}
/** A stream fetched over HTTP: a transport stream, or an HLS playlist. */
export interface HttpPullAddress {
  readonly protocol: 'http';
  /** `http[s]://…` without credentials. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** How long packets wait, so that later ones may be that late. */
  readonly bufferMs: number;
  readonly ts?: TsChoice;
}

/** An output that players fetch: `rtsp://…:port/key`. */
export interface RtspServerAddress {
  readonly protocol: 'rtsp';
  readonly port: number;
  /** The path. */
  readonly key: string;
  readonly maxClients: number;
  /** '' lets in anybody. */
  readonly username: string;
  readonly password: string;
}

/** An NDI source: of an input the one to fetch, of an output what the hub offers. */
export type NdiAddress = NdiStream;

export type OutputTarget =
  | SrtEndpointAddress
  | UdpEndpointAddress
  | RtmpEndpointAddress
  | RtspServerAddress
  | NdiAddress;
/** A stream that the hub gets by itself. */
export type FetchSource = Exclude<InputSource, { protocol: 'push' }>;
/** `push`: whoever publishes with the channel's push key. */
export type InputSource =
  | { readonly protocol: 'push' }
  | SrtEndpointAddress
  | UdpEndpointAddress
  | RtmpPullAddress
  | RtspPullAddress
  | HttpPullAddress
  | NdiAddress;
