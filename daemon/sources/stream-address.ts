/** Addresses of streams, as they are stored, sent to the engine and used there. */
import type { NdiTransport } from '../contract/ndi.ts';

/** A program of a transport stream, and one of its audio streams. */
export interface TsChoice {
  /** 0: the first. */
  readonly program: number;
  /** From 1; 0: all. */
  readonly audioTrack: number;
}
/** An output made from a server, whose keys are never shown. */
interface MayHideKey {
  /** The stream key or stream ID is write-only. Cleared when a user sets another one. */
  readonly isKeyHidden?: true;
}
export interface SrtStream extends MayHideKey {
  readonly protocol: 'srt';
  readonly mode: 'caller' | 'listener';
  readonly host: string;
  readonly port: number;
  readonly latencyMs: number;
  /** Percent above the rate of the stream that retransmissions may add; 0: no limit. */
  readonly overheadPercent: number;
  readonly streamId: string;
  /** Bytes; 0 is no encryption. */
  readonly keyLength: 0 | 16 | 24 | 32;
  readonly passphrase: string;
  /** For an output in listener mode: maximum number of connections at a time. */
  readonly maxConnections: number;
  /** For an input; absent if the whole stream is used. */
  readonly ts?: TsChoice;
}
/** TS over UDP, plain or in RTP. */
export interface UdpStream {
  readonly protocol: 'udp' | 'rtp';
  readonly host: string;
  readonly port: number;
  readonly ttl: number;
  /** Address of the local interface for multicast; '' lets the system choose. */
  readonly interface: string;
  /** For an input: the only accepted sender; '' for any. */
  readonly source: string;
  readonly ts?: TsChoice;
  /** Jitter buffer of an input, milliseconds; absent if there is none. */
  readonly bufferMs?: number;
}
/** Both are '' without authentication. */
interface Login {
  readonly username: string;
  readonly password: string;
}
export interface RtmpStream extends Login, MayHideKey {
  readonly protocol: 'rtmp';
  /** Up to the application name. */
  readonly url: string;
  readonly key: string;
  /** As for UDP. */
  readonly bufferMs?: number;
}
/** A source that an input pulls. */
interface Pulled extends Login {
  /** Without user name and password. */
  readonly url: string;
  /** Milliseconds. HTTP: the jitter buffer. RTSP: how long to wait for UDP packets that arrive out of order. */
  readonly bufferMs: number;
}
export interface RtspStream extends Pulled {
  readonly protocol: 'rtsp';
  /** Interleaved media first, with UDP as the fallback; otherwise the other way round. */
  readonly tcpFirst: boolean;
}
/** A transport stream, or an HLS playlist. */
export interface HttpStream extends Pulled {
  readonly protocol: 'http';
  readonly ts?: TsChoice;
}
/** An output that players pull from the hub: `rtsp://…:port/key`. */
export interface RtspServerStream extends Login {
  readonly protocol: 'rtsp';
  readonly port: number;
  /** The path. */
  readonly key: string;
  readonly maxClients: number;
}
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
/** A stream that the hub pulls or receives itself. */
export type FetchSource = SrtStream | UdpStream | RtmpStream | RtspStream | HttpStream | NdiStream;
export type OutputTarget = SrtStream | UdpStream | RtmpStream | RtspServerStream | NdiStream;
export type StreamAddress = FetchSource | OutputTarget;

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Returns the destination without options, for lists and logs. */
export function labelOf(address: StreamAddress): string {
  if ('url' in address) return address.url.replace(/\?.*$/, '');
  if (address.protocol === 'rtsp') return `rtsp://0.0.0.0:${address.port}`;
  if (address.protocol === 'ndi') return `ndi://${address.name}`;
  return `${address.protocol}://${bracketed(address.host)}:${address.port}`;
}

/** Returns the local TCP or UDP port that a stream listens on. RTSP outputs with different paths may share one. */
export function listenPortOf(address: StreamAddress): number | undefined {
  if (address.protocol === 'srt') return address.mode === 'listener' ? address.port : undefined;
  return isRtspServer(address) ? address.port : undefined;
}

export function isRtspServer(address: StreamAddress): address is RtspServerStream {
  return address.protocol === 'rtsp' && 'port' in address;
}
