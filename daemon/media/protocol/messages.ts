/**
 * Messages between hub and engine: one JSON object per line over a unix socket. The hub sends the complete desired
 * state with a generation number after every connect and on every change (it is small); the engine applies the
 * difference and reports its state. Neither side waits for the other.
 */
import type { Hello, Incoming, LinkMessages, Outgoing } from '../../ipc/message-link.ts';
import type { FetchSource } from '../../sources/stream-address.ts';
import type { DesiredState } from './desired.ts';
import type {
  ChannelStatus,
  ConnectionName,
  ConnectionReason,
  EnginePart,
  MediaStatus,
  QualityHistory,
} from './reported.ts';

/** Increased by any change that an older peer would misread; an engine of another version is replaced, not adopted. */
export const engineProtocol = 17;

/** Headers with which the hub identifies the viewer of a preview that it proxies. */
export const viewerHeaders = { address: 'x-viewer-address', name: 'x-viewer-name' } as const;

export type EngineRequest =
  | { readonly what: 'history'; readonly channelId: number | null }
  | {
      readonly what: 'quality';
      readonly channelId: number;
      readonly connection: ConnectionName;
      readonly minutes: number;
    }
  | { readonly what: 'disconnect'; readonly channelId: number; readonly clientId: number }
  /** An operator's choice, valid until that input is lost. Refused with an error if it delivers no data. */
  | { readonly what: 'switch'; readonly channelId: number; readonly to: 'main' | 'backup' }
  /**
   * Opens a source as a channel would, for at most 10 s, and reports its media. `inputId`: id of a stored input, whose
   * running stream is examined if there is one; 0 for none. `test` is any number that identifies the test to end it.
   */
  | { readonly what: 'test'; readonly test: number; readonly inputId: number; readonly source: FetchSource }
  /** The same until the engine itself knows the media, for at most `timing.sourceTest.lookMs`, and without ffprobe. */
  | { readonly what: 'look'; readonly test: number; readonly inputId: number; readonly source: FetchSource }
  /** One picture of a source, made as those of channels are, within `timing.sourceTest.lookMs`. */
  | { readonly what: 'frame'; readonly test: number; readonly inputId: number; readonly source: FetchSource }
  | { readonly what: 'endTest'; readonly test: number }
  /** Ends a native endpoint, if it is running, and starts it at once. */
  | { readonly what: 'restart'; readonly endpoint: 'srt' | 'udp' }
  /**
   * These pictures are viewed, and the hub has the images up to number `after`. Must be repeated within 5 s. The name of
   * a picture is the id of a channel; with `-main` or `-backup`, it is that input of a channel with a backup.
   */
  | { readonly what: 'pictures'; readonly pictures: readonly string[]; readonly after: number };

/** One value per second in kbit/s, the newest last; null where the engine did not run or the channel was disabled. */
export interface RateHistory {
  readonly stepSeconds: number;
  readonly end: number;
  readonly in: readonly (number | null)[];
  readonly out: readonly (number | null)[];
}

/** Result of a source test. `conn` is one of the contract's connection states: the last one that was reached. */
export type TestOutcome =
  | { readonly isFound: true; readonly media: MediaStatus }
  | { readonly isFound: false; readonly conn: number; readonly reason: ConnectionReason };

export interface SmallPicture {
  readonly name: string;
  /** Increases over all pictures, also from one engine to the next. */
  readonly number: number;
  /** JPEG in Base64. */
  readonly jpeg: string;
}

export type EngineReply =
  | { readonly what: 'history'; readonly history: RateHistory }
  /** No history: the connection has no statistics. */
  | { readonly what: 'quality'; readonly history?: QualityHistory }
  | { readonly what: 'done' }
  | { readonly what: 'tested'; readonly outcome: TestOutcome }
  /** JPEG in Base64. `done` is the reply if there was no picture in time. */
  | { readonly what: 'frame'; readonly jpeg: string }
  | { readonly what: 'pictures'; readonly list: readonly SmallPicture[] }
  | { readonly what: 'error'; readonly text: string };

/** Bytes of media that engine and SRT endpoint buffer for players that join or lag, and the limit. */
export interface RingMemory {
  readonly bytes: number;
  readonly limit: number;
}

interface EngineHello extends Hello {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly parts: readonly EnginePart[];
}

/** Messages that the engine sends without a request. */
export type EngineNews =
  | { readonly type: 'parts'; readonly parts: readonly EnginePart[] }
  /** Once a second, and immediately when a connection state changes. */
  | {
      readonly type: 'status';
      readonly at: number;
      /** Latest generation in effect: callers that use one of its keys are accepted. */
      readonly generation: number;
      readonly memoryBytes: number;
      readonly rings: RingMemory;
      readonly channels: readonly ChannelStatus[];
    }
  /** A state transition or a fault, for the log. */
  | { readonly type: 'event'; readonly at: number; readonly level: 'info' | 'warn' | 'error'; readonly text: string };

export interface EngineMessages extends LinkMessages {
  readonly hello: EngineHello;
  readonly news: EngineNews;
  readonly state: DesiredState;
  readonly ask: EngineRequest;
  readonly reply: EngineReply;
}
export type HubToEngine = Outgoing<EngineMessages>;
export type EngineToHub = Incoming<EngineMessages>;
