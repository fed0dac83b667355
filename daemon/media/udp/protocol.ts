/** What engine and UDP endpoint say to each other in control frames; native/udp/PROTOCOL.md is the full description. */

import { createEventReader } from '../endpoint/events.ts';
import type { PortFailure } from '../listen-failure.ts';

/** Raised on any change that the other side would misread. */
export const udpProtocol = 4;

/** Flags of a data frame to the endpoint. */
export const feedFlags = { entryPoint: 1, tables: 2 } as const;

export interface ReceiveOperation {
  readonly op: 'receive';
  readonly id: number;
  /** IPv4 or IPv6; a group, an address of this machine, or that of all. */
  readonly host: string;
  readonly port: number;
  /** Of this machine: the address or name of the interface that joins the group; '' lets the system choose. */
  readonly interface: string;
  /** The address of the only sender that is heard; '' for any. */
  readonly source: string;
  readonly rtp: boolean;
}

export interface SendOperation {
  readonly op: 'send';
  readonly id: number;
  readonly feed: number;
  /** IPv4 or IPv6. */
  readonly host: string;
  readonly port: number;
  /** 0: the system's. */
  readonly ttl: number;
  readonly interface: string;
  readonly rtp: boolean;
}

export type UdpOperation =
  | ReceiveOperation
  | { readonly op: 'stop-receive'; readonly id: number }
  | SendOperation
  | { readonly op: 'stop-send'; readonly id: number }
  | { readonly op: 'link'; readonly input: number; readonly feed: number }
  | { readonly op: 'unlink'; readonly input: number }
  | { readonly op: 'batch'; readonly input: number; readonly ms: number }
  | { readonly op: 'drop-feed'; readonly feed: number }
  | { readonly op: 'report' };

export interface InputFigures {
  readonly input: number;
  readonly bytes: number;
  readonly datagrams: number;
  /** Datagrams that the system threw away because they were not read in time. */
  readonly overruns: number;
  /** Bytes thrown away because the engine did not read. */
  readonly dropped_bytes: number;
  /** Datagrams of others than the sender that is heard. */
  readonly refused: number;
  /** Milliseconds, as RFC 3550 defines it: of RTP's time stamps, else of the stream's PCR. */
  readonly jitter: number;
  /** Packets; RTP only, like the rest. */
  readonly lost?: number;
  readonly reordered?: number;
  /** Came twice, or after they were given up. */
  readonly late?: number;
}
export interface OutputFigures {
  readonly output: number;
  readonly bytes: number;
  /** Datagrams that the system did not take. */
  readonly lost: number;
  /** Why the last one was not taken, if any was lost since the last report. */
  readonly fault?: string;
}

export interface InputFailed extends PortFailure {
  readonly ev: 'input-failed';
  readonly id: number;
}
export interface OutputFailed extends PortFailure {
  readonly ev: 'output-failed';
  readonly id: number;
}

export type UdpEvent =
  | { readonly ev: 'hello'; readonly version: number }
  /** `buffer`: bytes that the system holds for it. */
  | { readonly ev: 'input-open'; readonly id: number; readonly buffer: number }
  | InputFailed
  | { readonly ev: 'sender'; readonly id: number; readonly peer: string }
  | { readonly ev: 'no-sync'; readonly id: number }
  | { readonly ev: 'output-open'; readonly id: number }
  | OutputFailed
  | { readonly ev: 'stats'; readonly list: readonly (InputFigures | OutputFigures)[] }
  | { readonly ev: 'error'; readonly text: string; readonly op?: string; readonly field?: string };

export const readUdpEvent = createEventReader<UdpEvent>([
  'hello',
  'input-open',
  'input-failed',
  'sender',
  'no-sync',
  'output-open',
  'output-failed',
  'stats',
  'error',
]);
