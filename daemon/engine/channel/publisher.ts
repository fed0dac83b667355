/** The current source of a channel's packets, and what every publisher with a sink has in common. */

import type { DesiredChannel } from '../../media/protocol/desired.ts';
import type { ConnectionReason, DatagramReport, MediaStatus, SrtReport } from '../../media/protocol/reported.ts';
import type { FetchSource } from '../../sources/stream-address.ts';
import type { FlvBusSink } from '../flv/flv-sink.ts';
import type { TsSink } from '../mpegts/ts-sink.ts';
import type { Counts } from './silence-meter.ts';

export interface Publisher {
  /** '' for a slate. */
  readonly protocol: FetchSource['protocol'] | keyof DesiredChannel['allow'] | '';
  readonly shape: 'flv' | 'ts';
  /** This endpoint passes packets to the channel's receivers without the engine. */
  readonly linkedBy?: 'srt' | 'udp' | undefined;
  /** `hasReaders`: whether the bus has readers, which wait for packets. */
  readonly pace?: ((hasReaders: boolean) => void) | undefined;
  peer(): string;
  bytes(): number;
  /** How many of these bytes are a slate rather than received data. */
  readonly slateBytes?: (() => number) | undefined;
  media(): MediaStatus | undefined;
  readonly continuityErrors?: (() => number | undefined) | undefined;
  readonly srt?: (() => SrtReport | undefined) | undefined;
  readonly datagrams?: (() => DatagramReport | undefined) | undefined;
  /** Milliseconds of buffered media. */
  readonly bufferMs?: (() => number) | undefined;
  /** Numbers of video and audio units received; absent if they are not counted. */
  readonly arrivals?: (() => Counts | undefined) | undefined;
  /** Why none of the received data passes. */
  readonly lacks?: (() => ConnectionReason | undefined) | undefined;
  /** No data has arrived for a while: release the channel. */
  stalled(): void;
  /** Like `close`, but tells the peer the reason if the protocol can. Not for pulled inputs. */
  readonly replaced?: ((reason: string) => void) | undefined;
  close(reason: string): void;
}

/** The part of a publisher that its protocol provides; the rest comes from the sink. */
type Own = Pick<Publisher, 'protocol' | 'peer' | 'stalled' | 'close'> & Partial<Publisher>;

/** Returns a publisher whose transport stream goes through `sink`. */
export function tsPublisher(sink: TsSink, own: Own): Publisher {
  return {
    shape: 'ts',
    bytes: () => sink.bytes,
    media: () => sink.media,
    continuityErrors: () => sink.continuityErrors,
    arrivals: () => sink.arrivals,
    lacks: () => (sink.lacksProgram ? 'noProgram' : undefined),
    ...own,
  };
}

/** Returns a publisher whose FLV messages go through the sink, which is created with the first message. */
export function flvPublisher(sink: () => FlvBusSink | undefined, own: Own): Publisher {
  return {
    shape: 'flv',
    bytes: () => sink()?.bytes ?? 0,
    media: () => sink()?.media,
    arrivals: () => sink()?.arrivals,
    ...own,
  };
}

/** Returns a publisher that describes the stream as `from` does. Only the channel of `from` may close that one. */
export function sharedPublisher(from: Publisher, bytes: () => number): Publisher {
  return {
    ...{ ...from, bytes },
    // They belong to the channel that receives the stream.
    ...{ linkedBy: undefined, pace: undefined, replaced: undefined },
    stalled: () => undefined,
    close: () => undefined,
  };
}
