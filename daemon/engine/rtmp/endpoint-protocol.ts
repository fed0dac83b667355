/** Control frames between the engine and the RTMP endpoint; native/rtmp/PROTOCOL.md is the full description. */

import { createEventReader } from '../../ipc/frames.ts';
import type { SteadyTracks } from '../flv/flv-sink.ts';
import type { ChunkState } from './chunk-reader.ts';

/** Raise it on any change that the other side would misread. */
export const rtmpEndpointProtocol = 2;

/** `id`: a publisher or player, from 1, numbered by the engine. */
export type RtmpOperation =
  /** With the descriptor of the socket, which the endpoint reads from now on. */
  | ({ readonly op: 'publisher'; readonly id: number } & ChunkState & SteadyTracks)
  /** With the descriptor of the socket. The player has all messages before `message`. */
  | { readonly op: 'player'; readonly id: number; readonly publisher: number; readonly message: number }
  /** Whether the engine reads this publisher: if so, the endpoint passes all bytes, starting at the newest keyframe. */
  | { readonly op: 'read'; readonly id: number; readonly on: boolean }
  | { readonly op: 'return'; readonly id: number }
  | { readonly op: 'drop'; readonly id: number }
  | { readonly op: 'report' };

export interface PlayerFigures {
  readonly id: number;
  readonly bytes: number;
  readonly lag_ms?: number;
}

/** What the endpoint has received from a publisher. */
export interface PublisherFigures {
  readonly id: number;
  /** Bytes of its connection. */
  readonly received: number;
  /** Bytes of its messages. */
  readonly bytes: number;
  /** Frames. */
  readonly video: number;
  readonly audio: number;
}

/** The next bytes do not follow the last ones: the totals of the skipped bytes, and the state for the parser. */
export interface Skipped extends PublisherFigures, ChunkState {
  readonly ev: 'skipped';
  /** The number of the next message. */
  readonly message: number;
  /** Timestamps of the last frames as the publisher sent them; meaningless if there were none. */
  readonly video_time: number;
  readonly audio_time: number;
}

export interface Returned {
  readonly ev: 'returned';
  readonly id: number;
  readonly reason: string;
  /** Of a player: the first message that it has nothing of, and the bytes that it got from the endpoint. */
  readonly message?: number;
  readonly bytes?: number;
}

export type RtmpEvent =
  | { readonly ev: 'hello'; readonly version: number }
  | { readonly ev: 'taken'; readonly id: number }
  | { readonly ev: 'refused'; readonly id: number }
  | Returned
  | {
      readonly ev: 'stats';
      readonly list: readonly PlayerFigures[];
      readonly publishers: readonly PublisherFigures[];
    }
  /** The endpoint passes no more bytes of this publisher until the engine needs them. */
  | { readonly ev: 'skipping'; readonly id: number }
  | Skipped
  | { readonly ev: 'error'; readonly text: string; readonly op?: string; readonly field?: string };

export const readRtmpEvent = createEventReader<RtmpEvent>([
  ...(['hello', 'taken', 'refused', 'returned', 'stats', 'skipping', 'skipped', 'error'] as const),
]);
