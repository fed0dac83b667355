/** Control frames between the engine and the UDP endpoint; native/udp/PROTOCOL.md is the full description. */

import { createEventReader } from '../../ipc/frames.ts';
import type { UdpStream } from '../../sources/stream-address.ts';
import type { PortFailure } from '../connection/listen-failure.ts';

/** Raise it on any change that the other side would misread. */
export const udpProtocol = 4;

/** Flags of a data frame to the endpoint. */
export const feedFlags = { entryPoint: 1, tables: 2 } as const;

type Datagrams = Pick<UdpStream, 'host' | 'port' | 'interface'> & { readonly id: number; readonly rtp: boolean };

/** `host` is a group, an address of this machine, or the unspecified address. */
export type ReceiveOperation = { readonly op: 'receive' } & Datagrams & Pick<UdpStream, 'source'>;

/** `host` is an IP address. */
export type SendOperation = { readonly op: 'send'; readonly feed: number } & Datagrams & Pick<UdpStream, 'ttl'>;

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
  /** Datagrams that the system discarded because they were not read in time. */
  readonly overruns: number;
  /** Bytes discarded because the engine did not read. */
  readonly dropped_bytes: number;
  /** Datagrams from senders other than the accepted one. */
  readonly refused: number;
  /** Milliseconds, as defined by RFC 3550: of the RTP timestamps, else of the stream's PCR. */
  readonly jitter: number;
  /** Packets. This field and the following ones are for RTP only. */
  readonly lost?: number;
  readonly reordered?: number;
  /** Duplicates, and packets that arrived after they had been given up. */
  readonly late?: number;
}
export interface OutputFigures {
  readonly output: number;
  readonly bytes: number;
  /** Datagrams that the system did not accept. */
  readonly lost: number;
  /** Why the last one was not accepted, if any was lost since the last report. */
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
  /** `buffer`: size of the system's receive buffer in bytes. */
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
