/** What engine and SRT endpoint say to each other in control frames; native/srt/PROTOCOL.md is the full description. */

import { createEventReader } from '../endpoint/events.ts';
import type { PortFailure } from '../listen-failure.ts';

/** Raised on any change that the other side would misread. */
export const endpointProtocol = 8;

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
  /** A newer SRT publisher may take the place of the one that is there. */
  readonly replace: boolean;
}

export interface ListenOperation {
  readonly op: 'listen';
  readonly bind: string;
  readonly port: number;
  /** Milliseconds. */
  readonly latency: number;
  /** '' for no encryption, else 10 to 79 bytes. */
  readonly passphrase: string;
  /** 0 (the library's choice), 16, 24 or 32 bytes. */
  readonly pbkeylen: number;
}

/** Opens a listener on a port of its own. */
export interface OpenDoorOperation {
  readonly op: 'open-door';
  /** From 1. */
  readonly id: number;
  readonly feed: number;
  /** `send`: who connects gets the feed; `receive`: who connects brings media. */
  readonly direction: 'send' | 'receive';
  readonly bind: string;
  readonly port: number;
  readonly latency: number;
  readonly passphrase: string;
  readonly pbkeylen: number;
  readonly oheadbw: number;
  /** '' for anybody, else exactly what callers have to bring. */
  readonly streamid: string;
  /** Connections at a time. */
  readonly max: number;
}

export interface CallOperation {
  readonly op: 'call';
  readonly id: number;
  readonly feed: number;
  /** Addresses, one to four; the next one is tried when one doesn't answer. */
  readonly hosts: readonly string[];
  readonly port: number;
  readonly direction: 'send' | 'receive';
  readonly latency: number;
  readonly streamid: string;
  readonly passphrase: string;
  readonly pbkeylen: number;
  /** Percent of the measured rate that retransmissions may add; 0 for no limit, else 5 to 100. */
  readonly oheadbw: number;
}

/** A connection or call that brings media. */
export type SourceName = { readonly conn: number } | { readonly call: number };

export type EndpointOperation =
  | ListenOperation
  | { readonly op: 'unlisten' }
  /** The endpoint confirms a table that has a number. */
  | { readonly op: 'keys'; readonly number?: number; readonly list: readonly KeyRow[] }
  | CallOperation
  | OpenDoorOperation
  | { readonly op: 'close-door'; readonly id: number }
  | { readonly op: 'hangup'; readonly id: number }
  | { readonly op: 'kick'; readonly conn: number }
  | ({ readonly op: 'link'; readonly feed: number } & SourceName)
  | ({ readonly op: 'unlink' } & SourceName)
  | ({ readonly op: 'batch'; readonly ms: number; readonly prompt: boolean } & SourceName)
  /** What the feeds may hold together. */
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
  /** Through which door; missing: the common listener. */
  readonly door?: number;
  readonly peer: string;
  /** Negotiated, milliseconds. */
  readonly latency: number;
  readonly encrypted: boolean;
}

export interface DoorEvent {
  readonly ev: 'door';
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

/** One connection or call; either `conn` or `call` is there. Totals count from the start of the connection. */
export interface LegStatistics {
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
  /** Bytes thrown away because the engine did not read; `in` only. */
  readonly dropped_bytes?: number;
  /** What libsrt sends at most, Mb/s; `out` only. */
  readonly limit_mbps?: number;
  /** What waits in the endpoint for this receiver; `out` only. */
  readonly lag_bytes?: number;
  /** How often this receiver lost pictures because it was slow, and how much; `out` only. */
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
      readonly door?: number;
      readonly peer: string;
      readonly reason: RejectReason;
      readonly code: number;
      /** Attempts of this host, refused for this reason, since the last report; at most one report a second. */
      readonly count: number;
    }
  | CallEvent
  | DoorEvent
  | {
      readonly ev: 'stats';
      readonly list: readonly LegStatistics[];
      /** What the feeds hold together. */
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
  'door',
  'stats',
  'error',
]);
