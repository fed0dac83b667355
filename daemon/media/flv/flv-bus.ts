/**
 * The FLV shape of a channel: RTMP messages in batches, with the headers a new player needs before its first picture.
 */
import { defaultRingLimits, Ring, type RingLimits, type Unit } from '../bus.ts';
import { Timeline } from './timeline.ts';

/** RTMP message type ids that carry media (RTMP 1.0, section 7.1); FLV tags use the same numbers. */
export const messageType = { audio: 8, video: 9, data: 18 } as const;
export type MediaMessageType = (typeof messageType)[keyof typeof messageType];

export interface FlvMessage {
  readonly type: MediaMessageType;
  /** Milliseconds, unsigned 32 bit, monotonic over publisher sessions of one channel; 0 for metadata. */
  readonly timestamp: number;
  /** FLV tag body: codec byte(s) and data, without the tag header. */
  readonly payload: Uint8Array;
}

/** Sequence headers and metadata of the running publisher; sent first to every new player and after a change. */
export interface FlvHeaders {
  readonly metadata?: FlvMessage;
  readonly video?: FlvMessage;
  readonly audio?: FlvMessage;
  /** Sequence headers of further tracks (enhanced RTMP multitrack). */
  readonly tracks?: readonly FlvMessage[];
}

/** Messages that arrived together. Wire forms are made once and shared by every player. */
export interface FlvUnit extends Unit {
  readonly messages: readonly FlvMessage[];
  /** On an entry point: the headers its pictures need. They may be older than the bus's own. */
  readonly headers?: FlvHeaders;
  /** Those of the messages that are headers or metadata; missing where none is. */
  readonly announced?: readonly FlvMessage[];
  /** Types whose frames changed to a codec without a header. */
  readonly unannounced?: readonly MediaMessageType[];
  /** The unit without `announced`, made on first use for readers that have all of them. */
  media?: FlvUnit;
  /** Chunked RTMP bytes for a player on message stream 1, made by the RTMP side on first use. */
  wire?: Uint8Array;
  /** The same for a push, by message stream id of the remote server. */
  pushWires?: Map<number, Uint8Array>;
}

export interface FlvBus {
  readonly ring: Ring<FlvUnit>;
  /** Changes identity whenever a header changes. */
  headers: FlvHeaders;
  /** Keeps timestamps going forward from one publisher session to the next. */
  readonly timeline: Timeline;
}

export function createFlvBus(limits: RingLimits = defaultRingLimits, now?: () => number): FlvBus {
  return { ring: new Ring<FlvUnit>(limits, now), headers: {}, timeline: new Timeline(now) };
}
