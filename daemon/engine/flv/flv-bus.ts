/** The FLV bus of a channel: RTMP messages in batches, with the headers a new player needs before its first frame. */
import { defaultRingLimits, Ring, type RingLimits, type Unit } from '../bus/bus.ts';
import { Timeline } from './timeline.ts';

/** RTMP message type ids of media messages (RTMP 1.0, section 7.1); FLV tags use the same numbers. */
export const messageType = { audio: 8, video: 9, data: 18 } as const;
export type MediaMessageType = (typeof messageType)[keyof typeof messageType];

export function isMediaType(type: number): type is MediaMessageType {
  return type === messageType.audio || type === messageType.video || type === messageType.data;
}

export interface FlvMessage {
  readonly type: MediaMessageType;
  /** Milliseconds, unsigned 32 bit, monotonic across the publisher sessions of a channel; 0 for metadata. */
  readonly timestamp: number;
  /** FLV tag body: codec byte(s) and data, without the tag header. */
  readonly payload: Uint8Array;
}

/** Sequence headers and metadata of the current publisher. Sent first to every new player, and after a change. */
export interface FlvHeaders {
  readonly metadata?: FlvMessage;
  readonly video?: FlvMessage;
  readonly audio?: FlvMessage;
  /** Sequence headers of further tracks (enhanced RTMP multitrack). */
  readonly tracks?: readonly FlvMessage[];
}

/** Messages that arrived together. */
export interface FlvUnit extends Unit {
  readonly messages: readonly FlvMessage[];
  /** Number of the first message on its bus; absent if it was made from another unit. */
  readonly index?: number;
  /** At a random access point: the headers that its frames need. They may be older than those of the bus. */
  readonly headers?: FlvHeaders;
  /** The headers and metadata among the messages; absent if there are none. */
  readonly announced?: readonly FlvMessage[];
  /** Types whose frames changed to a codec without a header. */
  readonly unannounced?: readonly MediaMessageType[];
  /** The unit without `announced`, created on first use for readers that have all of them. */
  media?: FlvUnit;
}

export interface FlvBus {
  readonly ring: Ring<FlvUnit>;
  /** A new object whenever a header changes. */
  headers: FlvHeaders;
  /** Number of messages so far. */
  messages: number;
  /** Makes timestamps continue from one publisher session to the next. */
  readonly timeline: Timeline;
}

export function createFlvBus(limits: RingLimits = defaultRingLimits, now?: () => number): FlvBus {
  return { ring: new Ring<FlvUnit>(limits, now), headers: {}, messages: 0, timeline: new Timeline(now) };
}
