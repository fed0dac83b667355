/** What the RTMP server asks the engine, and what it tells it. */
import type { FlvBus } from '../flv/flv-bus.ts';
import type { FlvSink } from '../flv/flv-sink.ts';
import type { FeedStats } from './bus-feed.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = Readonly<Record<string, string | number | boolean>>;
export type Log = (level: LogLevel, text: string, fields: LogFields) => void;

export interface RtmpClientStats {
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly connectedMs: number;
  /** How long the socket has taken nothing although bytes wait. */
  readonly stalledMs: number;
  /** For a player. */
  readonly feed?: FeedStats;
}

/** Who is at the other end. */
export interface RtmpClient {
  readonly connectionId: number;
  /** Address and port. */
  readonly peer: string;
  /** What the client calls itself, cleaned and cut; may be empty. */
  readonly encoder: string;
}

/** The engine's grip on one connection. */
export interface RtmpClientHandle extends RtmpClient {
  stats(): RtmpClientStats;
  /** Ends the connection; its sink or `onClosed` is told the reason before this returns. */
  close(reason: string): void;
  /** Ends a publisher's stream and says why, then the connection. */
  dismiss(reason: string): void;
}

export interface StreamRequest extends RtmpClient {
  /** Stream key without query string. A secret: not for logs. */
  readonly key: string;
  readonly client: RtmpClientHandle;
}

export interface Refusal {
  readonly ok: false;
  /** Wire code for the client, such as NetStream.Publish.BadName. */
  readonly code: string;
  readonly text: string;
}

export interface PublishGrant {
  readonly ok: true;
  readonly sink: FlvSink;
}

export interface PlayGrant {
  readonly ok: true;
  readonly bus: FlvBus;
  onClosed(reason: string): void;
}

export interface RtmpServerHooks {
  /** Milliseconds before this key is looked at; undefined when it is refused unseen, for too many wrong ones. */
  keyWait(request: StreamRequest): number | undefined;
  publish(request: StreamRequest): PublishGrant | Refusal;
  /** A grant while nobody publishes makes the player wait. */
  play(request: StreamRequest): PlayGrant | Refusal;
  log: Log;
}
