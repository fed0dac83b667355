/** Interface between the RTMP server and the engine. */
import { timing } from '../../timing.ts';
import type { FlvBus } from '../flv/flv-bus.ts';
import type { FlvBusSink, FlvSink } from '../flv/flv-sink.ts';
import type { FeedStats } from './bus-feed.ts';
import type { Relay } from './relay.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = Readonly<Record<string, string | number | boolean>>;
export type Log = (level: LogLevel, text: string, fields: LogFields) => void;

export interface RtmpClientStats {
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly connectedMs: number;
  /** How long the socket has accepted nothing although bytes are waiting. */
  readonly stalledMs: number;
  /** Players only. */
  readonly feed?: FeedStats;
}

/** The engine's handle of one connection. */
export interface RtmpClientHandle {
  /** Address and port. */
  readonly peer: string;
  stats(): RtmpClientStats;
  /** Closes the connection; its sink or `onClosed` receives the reason before this returns. */
  close(reason: string): void;
  /** Ends a publisher's stream with this reason, then the connection. */
  dismiss(reason: string): void;
}

export interface StreamRequest {
  /** Stream key without query string. A secret: never log it. */
  readonly key: string;
  readonly client: RtmpClientHandle;
}

export interface Refusal {
  readonly ok: false;
  /** Status code for the client, such as NetStream.Publish.BadName. */
  readonly code: string;
  readonly text: string;
}

export interface PublishGrant {
  readonly ok: true;
  readonly sink: FlvSink;
  /** The last part of `sink`, if nothing changes the messages before it. */
  readonly busSink?: FlvBusSink;
  /** Called with a function that must be called when readers of the bus have come or gone. */
  readonly watchReaders?: (look: () => void) => void;
}

export interface PlayGrant {
  readonly ok: true;
  readonly bus: FlvBus;
  onClosed(reason: string): void;
}

export interface RtmpServerHooks {
  /** Returns the milliseconds until this key is checked; undefined refuses it unchecked, after too many wrong ones. */
  keyWait(request: StreamRequest): number | undefined;
  publish(request: StreamRequest): PublishGrant | Refusal;
  /** If granted without a publisher, the player waits. */
  play(request: StreamRequest): PlayGrant | Refusal;
  log: Log;
}

export interface SessionLimits {
  /** The application name clients must use. */
  readonly app: string;
  readonly handshakeMs: number;
  /** From the handshake to publish or play. */
  readonly idleMs: number;
  /** A publisher that sends nothing for this long is considered gone, unless the engine ended it before. */
  readonly publisherIdleMs: number;
  /** A peer that accepts nothing for this long although bytes are waiting is considered gone. */
  readonly stallMs: number;
  /** How long a refused client has to read the reason. */
  readonly lingerMs: number;
}

export const defaultSessionLimits: SessionLimits = {
  app: 'live',
  ...timing.rtmpServer,
};

/** The socket of a connection that may move to the RTMP endpoint. */
export interface MovableSocket {
  /** -1 once it is closed. */
  descriptor(): number;
  /** It is not read until `resume`. */
  pause(): void;
  resume(): void;
}

export interface SessionContext {
  readonly connectionId: number;
  readonly peer: string;
  readonly hooks: RtmpServerHooks;
  readonly limits: SessionLimits;
  readonly now: () => number;
  /** The socket is read once this many bytes have arrived. */
  readonly setReceiveMark: (bytes: number) => void;
  /** Undefined without an RTMP endpoint. */
  readonly relay?: Relay | undefined;
  readonly movable: MovableSocket;
}
