/**
 * What hub and engine say to each other: one JSON object per line over a unix socket. The hub sends the whole wanted
 * state with a generation number after every connect and on every change (it is small); the engine applies the
 * difference and reports what is. Neither waits for the other.
 */
import type { FetchSource } from './addresses.ts';
import type { ChannelStatus, EnginePart, LegName, LegReason, MediaStatus, QualityHistory } from './status.ts';
import type { WantedState } from './wanted.ts';

/** Raised on any change that an older peer would misread; an engine of another version is replaced, not adopted. */
export const engineProtocol = 9;

export type HubToEngine =
  | { readonly type: 'wanted'; readonly state: WantedState }
  | { readonly type: 'request'; readonly id: number; readonly ask: EngineRequest }
  /** End every stream and exit. */
  | { readonly type: 'stop'; readonly reason: string };

export type EngineRequest =
  | { readonly what: 'log'; readonly channelId: number }
  | { readonly what: 'history'; readonly channelId: number | null }
  | { readonly what: 'quality'; readonly channelId: number; readonly leg: LegName; readonly minutes: number }
  | { readonly what: 'disconnect'; readonly channelId: number; readonly clientId: number }
  /** An operator's choice; it holds until that input is lost. Refused with an error when it brings nothing. */
  | { readonly what: 'switch'; readonly channelId: number; readonly to: 'main' | 'backup' }
  /**
   * Opens a source as a channel would, at most 10 s, and says what it brings. `inputId`: of a stored input, whose
   * running stream is looked at where there is one; 0 for none. `test` is any number to end it by.
   */
  | { readonly what: 'test'; readonly test: number; readonly inputId: number; readonly source: FetchSource }
  | { readonly what: 'endTest'; readonly test: number }
  /** Somebody looks at these channels, and has the pictures up to this number. To be asked again within 5 s. */
  | { readonly what: 'pictures'; readonly channels: readonly number[]; readonly after: number };

/** One number per second, the newest last, kbit/s; null where the engine didn't run or the channel was off. */
export interface RateHistory {
  readonly stepSeconds: number;
  readonly end: number;
  readonly in: readonly (number | null)[];
  readonly out: readonly (number | null)[];
}

export interface ProcessLogEntry {
  readonly name: string;
  readonly running: boolean;
  readonly lines: readonly { readonly time: number; readonly level: string; readonly text: string }[];
}

/** What the test of a source found. `conn` is one of the contract's connection states: the last one in which it was. */
export type TestOutcome =
  | { readonly isFound: true; readonly media: MediaStatus }
  | { readonly isFound: false; readonly conn: number; readonly reason: LegReason };

/** What a channel shows, small. */
export interface SmallPicture {
  readonly channelId: number;
  /** Rises over all channels, also from one engine to the next. */
  readonly number: number;
  /** JPEG in Base64. */
  readonly jpeg: string;
}

export type EngineReply =
  | { readonly what: 'log'; readonly list: readonly ProcessLogEntry[] }
  | { readonly what: 'history'; readonly history: RateHistory }
  /** Without history: it has no figures. */
  | { readonly what: 'quality'; readonly history?: QualityHistory }
  | { readonly what: 'done' }
  | { readonly what: 'tested'; readonly outcome: TestOutcome }
  | { readonly what: 'pictures'; readonly list: readonly SmallPicture[] }
  | { readonly what: 'error'; readonly text: string };

/** What the engine and the SRT endpoint hold of all streams for those who join or lag, and may hold. Bytes. */
export interface RingMemory {
  readonly bytes: number;
  readonly limit: number;
}

export type EngineToHub =
  | {
      readonly type: 'hello';
      readonly protocol: number;
      readonly pid: number;
      /** Milliseconds since 1970. */
      readonly startedAt: number;
      readonly parts: readonly EnginePart[];
    }
  | { readonly type: 'parts'; readonly parts: readonly EnginePart[] }
  /** Once a second, and at once when a connection state changes. */
  | {
      readonly type: 'status';
      readonly at: number;
      /** Newest generation that is in effect: callers that use one of its keys are accepted. */
      readonly generation: number;
      readonly memoryBytes: number;
      readonly rings: RingMemory;
      readonly channels: readonly ChannelStatus[];
    }
  | { readonly type: 'reply'; readonly id: number; readonly reply: EngineReply }
  /** A state transition or a fault, for the log. */
  | { readonly type: 'event'; readonly at: number; readonly level: 'info' | 'warn' | 'error'; readonly text: string };
