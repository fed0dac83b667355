/** Reassembles frames from the RTP packets of one track. */
import type { StreamCodec } from '../remux/ts-tables.ts';

/** A picture or audio frame as a PES packet carries it. `parts` are views, valid only during the call. */
export interface MediaUnit {
  /** RTP timestamp of its first packet, unmodified. */
  readonly timestamp: number;
  /** Offset from `timestamp` in 90 kHz ticks. */
  readonly delay?: number;
  /** A decoder can start here. */
  readonly isRandomAccess: boolean;
  readonly parts: readonly Uint8Array[];
}

export interface Depacketizer {
  readonly kind: 'video' | 'audio';
  /** The codec as known so far; a later frame may change it. */
  readonly codec: StreamCodec;
  /** Maximum number of pictures decoded before one but shown after it; undefined if unknown. */
  readonly reorderDepth?: number | undefined;
  /** Takes the payload of the next packet, valid only during the call. */
  take(payload: Uint8Array, timestamp: number, isMarked: boolean): void;
  /** Reports that packets before the next one are missing. */
  lose(): void;
}

export type OnUnit = (unit: MediaUnit) => void;
