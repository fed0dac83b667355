/** Control frames between the engine and the SRT endpoint; native/srt/PROTOCOL.md is the full description. */

import { createEventReader } from '../../ipc/frames.ts';
import type { EngineSettings } from '../../media/protocol/desired.ts';
import type { SrtStream } from '../../sources/stream-address.ts';
import type { PortFailure } from '../connection/listen-failure.ts';

/** Raise it on any change that the other side would misread. */
export const endpointProtocol = 9;

/** Flags of a data frame to the endpoint. */
export const feedFlags = { entryPoint: 1, tables: 2 } as const;
/** Flags of a data frame from the endpoint. */
export const mediaFlags = { call: 1, lost: 2 } as const;

export interface KeyRow {
  readonly feed: number;
  /** '' for none. */
  readonly push: string;
  readonly play: string;
  readonly publish: boolean;
  readonly play_ok: boolean;
  /** Published over another protocol: an SRT publisher is refused. */
  readonly busy: boolean;
  /** A new SRT publisher may replace the current one. */
  readonly replace: boolean;
}

/** Named after libsrt's options. */
interface LinkOptions {
  /** Milliseconds. */
  readonly latency: number;
  /** '' for no encryption, else 10 to 79 bytes. */
  readonly passphrase: string;
  /** 0 (the library's choice), 16, 24 or 32 bytes. */
  readonly pbkeylen: number;
}
interface StreamOptions extends LinkOptions {
  /** The stream ID to send; of a listener the one that callers must send, '' for any. */
  readonly streamid: string;
  /** Percent of the measured rate that retransmissions may add; 0 for no limit, else 5 to 100. */
  readonly oheadbw: number;
}

export function linkOptions(link: Pick<EngineSettings['srt'], 'latencyMs' | 'keyLength' | 'passphrase'>): LinkOptions {
  const { latencyMs, keyLength, passphrase } = link;
  return { latency: latencyMs, passphrase: keyLength > 0 ? passphrase : '', pbkeylen: keyLength };
}

export function streamOptions(address: SrtStream): StreamOptions {
  return { ...linkOptions(address), streamid: address.streamId, oheadbw: address.overheadPercent };
}

export interface ListenOperation extends LinkOptions {
  readonly op: 'listen';
  readonly bind: string;
  readonly port: number;
}

/** Opens a dedicated listener. */
export interface OpenListenerOperation extends StreamOptions {
  readonly op: 'open-listener';
  /** From 1. */
  readonly id: number;
  readonly feed: number;
  /** `send`: callers receive the feed; `receive`: callers deliver media. */
  readonly direction: 'send' | 'receive';
  readonly bind: string;
  readonly port: number;
  /** Maximum number of concurrent connections. */
  readonly max: number;
}

export interface CallOperation extends StreamOptions {
  readonly op: 'call';
  readonly id: number;
  readonly feed: number;
  /** One to four addresses; if one does not answer, the next is tried. */
  readonly hosts: readonly string[];
  readonly port: number;
  readonly direction: 'send' | 'receive';
}

/** A connection or call that delivers media. */
export type SourceName = { readonly conn: number } | { readonly call: number };

export type EndpointOperation =
  | ListenOperation
  | { readonly op: 'unlisten' }
  /** The endpoint confirms tables that have a number. */
  | { readonly op: 'keys'; readonly number?: number; readonly list: readonly KeyRow[] }
  | CallOperation
  | OpenListenerOperation
  | { readonly op: 'close-listener'; readonly id: number }
  | { readonly op: 'hangup'; readonly id: number }
  | { readonly op: 'kick'; readonly conn: number }
  | ({ readonly op: 'link'; readonly feed: number } & SourceName)
  | ({ readonly op: 'unlink' } & SourceName)
  | ({ readonly op: 'batch'; readonly ms: number; readonly prompt: boolean } & SourceName)
  /** Limit for all feeds together. */
  | { readonly op: 'rings'; readonly bytes: number }
  | { readonly op: 'drop-feed'; readonly feed: number };

export type RejectReason =
  | 'unknown key'
  | 'too many wrong keys'
  | 'wrong stream id'
  | 'conflict'
  | 'forbidden'
  | 'bad passphrase'
  | 'bad stream id'
  | 'too many connections'
  | 'handshake failed'
  | 'malformed handshake'
  | 'packet filter'
  | 'too many key requests';

export interface Connected {
  readonly conn: number;
  readonly feed: number;
  /** The dedicated listener it came through; absent for the common listener. */
  readonly listener?: number;
  readonly peer: string;
  /** Negotiated, in milliseconds. */
  readonly latency: number;
  readonly encrypted: boolean;
}

export interface ListenerEvent {
  readonly ev: 'listener';
  readonly id: number;
  readonly state: 'listening' | 'failed';
  readonly error?: string;
  readonly reason?: PortFailure['reason'];
}

export interface CallEvent {
  readonly ev: 'call';
  readonly id: number;
  readonly state: 'connecting' | 'connected' | 'failed' | 'closed';
  readonly peer?: string;
  readonly reason?: string;
  /** libsrt's reject reason. */
  readonly code?: number;
  readonly text?: string;
  readonly latency?: number;
  readonly encrypted?: boolean;
}

/** One connection or call; either `conn` or `call` is set. Totals count from the start of the connection. */
export interface ConnectionStatistics {
  readonly conn?: number;
  readonly call?: number;
  readonly dir: 'in' | 'out';
  /** Milliseconds. */
  readonly rtt: number;
  /** Media bytes, without headers and retransmissions. */
  readonly bytes: number;
  readonly kbps: number;
  readonly bandwidth_mbps: number;
  /** Sent or received, each counted once. */
  readonly packets: number;
  /** Packets. */
  readonly loss: number;
  readonly retrans: number;
  readonly drop: number;
  readonly buffer_ms: number;
  readonly latency: number;
  /** Packets that could not be decrypted; `in` only. */
  readonly undecrypted?: number;
  /** Bytes discarded because the engine did not read; `in` only. */
  readonly dropped_bytes?: number;
  /** libsrt's send rate limit, Mb/s; `out` only. */
  readonly limit_mbps?: number;
  /** Bytes queued in the endpoint for this receiver; `out` only. */
  readonly lag_bytes?: number;
  /** How often this receiver lost frames because it was slow, and how many bytes; `out` only. */
  readonly skips?: number;
  readonly skipped_bytes?: number;
}

export type EndpointEvent =
  | { readonly ev: 'hello'; readonly version: number; readonly libsrt: string }
  | { readonly ev: 'listening'; readonly port: number }
  | ({ readonly ev: 'listen-failed'; readonly port: number } & PortFailure)
  | { readonly ev: 'keys'; readonly number: number }
  | ({ readonly ev: 'publish' } & Connected)
  | ({ readonly ev: 'client' } & Connected)
  | { readonly ev: 'closed'; readonly conn: number; readonly reason: string; readonly code: number }
  | {
      readonly ev: 'rejected';
      readonly listener?: number;
      readonly peer: string;
      readonly reason: RejectReason;
      readonly code: number;
      /** Attempts from this host refused for this reason since the last report; at most one report per second. */
      readonly count: number;
    }
  | CallEvent
  | ListenerEvent
  | {
      readonly ev: 'stats';
      readonly list: readonly ConnectionStatistics[];
      /** Held by all feeds together. */
      readonly ring_bytes: number;
      readonly ring_limit: number;
    }
  | { readonly ev: 'error'; readonly text: string; readonly op?: string; readonly field?: string };

export const readEvent = createEventReader<EndpointEvent>([
  'hello',
  'listening',
  'listen-failed',
  'keys',
  'publish',
  'client',
  'closed',
  'rejected',
  'call',
  'listener',
  'stats',
  'error',
]);
