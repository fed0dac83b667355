/**
 * What hub and engine say to each other: one JSON object per line over a unix socket. The hub sends the whole wanted
 * state with a generation number after every connect and on every change (it is small); the engine applies the
 * difference and reports what is. Neither waits for the other.
 */
import type { TsChoice } from '../lib/ts-choice.ts';

export type { TsChoice };

/** Raised on any change that an older peer would misread; an engine of another version is replaced, not adopted. */
export const engineProtocol = 5;

export interface EngineSettings {
  readonly bind: string;
  readonly rtmpPort: number;
  /** HLS and HTTP-TS. */
  readonly hlsPort: number;
  readonly srt: {
    readonly port: number;
    readonly latencyMs: number;
    /** 0, 16, 24 or 32 bytes. */
    readonly keyLength: number;
    readonly passphrase: string;
  };
}

export interface SrtEndpointAddress {
  readonly protocol: 'srt';
  readonly mode: 'caller' | 'listener';
  readonly host: string;
  readonly port: number;
  readonly latencyMs: number;
  readonly overheadPercent: number;
  readonly streamId: string;
  readonly passphrase: string;
  readonly keyLength: number;
  /** Of a listener: how many may be connected at a time; an input takes one. */
  readonly maxConnections: number;
  /** Of an input; without it everything passes. */
  readonly ts?: TsChoice;
}
interface DatagramAddress {
  readonly host: string;
  readonly port: number;
  readonly ttl: number;
  /** Address of the local interface; '' lets the system choose. */
  readonly interface: string;
  /** The only sender of a group that is heard; '' for any. */
  readonly source: string;
  readonly ts?: TsChoice;
}
/** A transport stream over UDP, plain or in RTP. */
export type UdpEndpointAddress =
  | (DatagramAddress & { readonly protocol: 'udp' })
  | (DatagramAddress & { readonly protocol: 'rtp' });
export interface RtmpEndpointAddress {
  readonly protocol: 'rtmp';
  /** Up to the application name. */
  readonly url: string;
  readonly key: string;
  readonly username: string;
  readonly password: string;
}

/** A stream fetched from another RTMP server; the same fields as a push to one. */
export type RtmpPullAddress = RtmpEndpointAddress;
/** A stream fetched from an RTSP server. */
export interface RtspPullAddress {
  readonly protocol: 'rtsp';
  /** `rtsp[s]://…` without credentials. */
  readonly url: string;
  /** Packets over the connection itself, and over UDP where the server has no such; else the other way round. */
  readonly tcpFirst: boolean;
  readonly username: string;
  readonly password: string;
  /** How long packets of UDP may be out of order. */
  readonly bufferMs: number;
}
/** A stream fetched over HTTP: a transport stream, or an HLS playlist. */
export interface HttpPullAddress {
  readonly protocol: 'http';
  /** `http[s]://…` without credentials. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** How long packets wait, so that later ones may be that late. */
  readonly bufferMs: number;
  readonly ts?: TsChoice;
}

/** An output that players fetch: `rtsp://…:port/key`. */
export interface RtspServerAddress {
  readonly protocol: 'rtsp';
  readonly port: number;
  /** The path. */
  readonly key: string;
  readonly maxClients: number;
  /** '' lets in anybody. */
  readonly username: string;
  readonly password: string;
}

/** An NDI source: of an input the one to fetch, of an output what the hub offers. */
export interface NdiAddress {
  readonly protocol: 'ndi';
  readonly name: string;
  /** Separated by commas; '' for the public one. */
  readonly groups: string;
  /** Machines to ask beside those that are found, separated by commas. */
  readonly extraIps: string;
  readonly lowBandwidth: boolean;
}

export type OutputTarget =
  | SrtEndpointAddress
  | UdpEndpointAddress
  | RtmpEndpointAddress
  | RtspServerAddress
  | NdiAddress;
/** A stream that the hub gets by itself. */
export type FetchSource = Exclude<InputSource, { protocol: 'push' }>;
/** `push`: whoever publishes with the channel's push key. */
export type InputSource =
  | { readonly protocol: 'push' }
  | SrtEndpointAddress
  | UdpEndpointAddress
  | RtmpPullAddress
  | RtspPullAddress
  | HttpPullAddress
  | NdiAddress;

/** When the backup takes over from the main input, and when that one gets the channel back. */
export interface FailoverRule {
  /** Whether the backup is received all the time, or only while it is needed. */
  readonly standby: 'hot' | 'cold';
  /** An input that brings nothing for so long is lost. Milliseconds. */
  readonly noDataMs: number;
  /** The same for its picture and its sound; 0: nobody minds. */
  readonly noVideoMs: number;
  readonly noAudioMs: number;
  /** The way back to the main input: never while the backup is good, by hand, or once it was good for a while. */
  readonly back: 'never' | 'hand' | 'stable';
  readonly stableSeconds: number;
  /** What is shown when both are gone. */
  readonly slate: SlateWanted;
}
export type SlateWanted =
  | { readonly kind: 'none' }
  | { readonly kind: 'bars' }
  /** `path`: of a PNG or JPEG file. */
  | { readonly kind: 'picture'; readonly path: string };
export type InputRole = 'main' | 'backup' | 'slate';
/** A second input of a channel, any but whoever pushes. */
export interface WantedBackup {
  readonly inputId: number;
  readonly input: FetchSource;
  readonly failover: FailoverRule;
}

export interface WantedOutput {
  readonly id: number;
  readonly enabled: boolean;
  readonly target: OutputTarget;
}
export interface WantedChannel {
  readonly id: number;
  readonly name: string;
  readonly enabled: boolean;
  readonly pushKey: string;
  readonly playKey: string;
  readonly allow: { readonly rtmp: boolean; readonly srt: boolean };
  /** 0 with `push`. */
  readonly inputId: number;
  readonly input: InputSource;
  readonly backup?: WantedBackup;
  readonly outputs: readonly WantedOutput[];
}
export interface WantedState {
  readonly generation: number;
  readonly settings: EngineSettings;
  readonly channels: readonly WantedChannel[];
}

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

/** A word for why a leg isn't connected; the console translates it. */
export type LegReason =
  | 'switchedOff'
  | 'noInput'
  | 'dnsFailed'
  | 'unreachable'
  | 'refused'
  | 'timeout'
  | 'tlsFailed'
  | 'handshakeFailed'
  | 'notAuthorized'
  | 'wrongPassphrase'
  | 'streamRefused'
  | 'closedByPeer'
  | 'stalled'
  | 'noData'
  | 'noSync'
  | 'noProgramme'
  | 'badInput'
  | 'codecNotPossible'
  | 'addressInUse'
  | 'partMissing'
  | 'internal';

/** `conn` and `state` are the numbers of the contract's connectionStates and sourceStates. */
export interface LegStatus {
  readonly conn: number;
  readonly state: number;
  readonly reason?: LegReason;
  /** Over the last second. */
  readonly kbps: number;
  readonly bytes: number;
  /** Milliseconds since 1970 when packets began to flow; 0 while they don't. */
  readonly since: number;
  readonly srt?: SrtReport;
  readonly datagrams?: DatagramReport;
  readonly quality?: LegQuality;
}
/** Packets are totals since the connection began. */
export interface SrtReport {
  readonly rttMs: number;
  /** Those that should have come, or that were sent, each counted once. */
  readonly packets: number;
  readonly lost: number;
  readonly retransmitted: number;
  readonly dropped: number;
  readonly bufferMs: number;
}
/** Of what comes in over UDP; but for the jitter, totals since the port was opened. */
export interface DatagramReport {
  readonly received: number;
  /** RTP only, like the next two: without sequence numbers nobody knows. */
  readonly lost?: number;
  readonly reordered?: number;
  /** Came twice, or after they were given up. */
  readonly late?: number;
  /** As RFC 3550 defines it, of RTP's time stamps, else of the stream's own clock. */
  readonly jitterMs: number;
}

/** Packets and continuity errors within a step, percent of them, and milliseconds, the longest of the step. */
export const qualityFigures = [
  'lossPercent',
  'lost',
  'retransmitted',
  'dropped',
  'ccErrors',
  'rttMs',
  'jitterMs',
  'bufferMs',
] as const;
export type QualityFigure = (typeof qualityFigures)[number];
/** Of the last second; `lossPercent` over the last 10 s. Missing is what nobody knows. */
export type LegQuality = Partial<Readonly<Record<QualityFigure, number>>>;
/** One value per step, the newest last; null where it wasn't known. */
export interface QualityHistory {
  readonly stepSeconds: number;
  /** Milliseconds since 1970 of the newest step. */
  readonly end: number;
  /** Whether the connection was there all through the step. */
  readonly connected: readonly boolean[];
  /** Only those that were ever known. */
  readonly figures: Partial<Readonly<Record<QualityFigure, readonly (number | null)[]>>>;
}
/** Which connection of a channel. */
export type LegName = 'input' | { readonly output: number } | { readonly client: number };

export interface InputStatus extends LegStatus {
  /** `rtmp`, `srt`, `udp`, `rtp`, `rtsp` or `http`; '' while nobody is connected. */
  readonly protocol: string;
  readonly peer: string;
  readonly reconnects: number;
  readonly ccErrors?: number;
  /** Seconds without a picture, and without sound; since it connected where none came. */
  readonly quiet?: { readonly video: number; readonly audio: number };
  readonly media?: MediaStatus;
}
export interface MediaStatus {
  readonly container: 'flv' | 'ts';
  readonly video?: { readonly codec: string; readonly width?: number; readonly height?: number; readonly fps?: number };
  readonly audio?: { readonly codec: string; readonly sampleRate?: number; readonly channels?: number };
}
export interface OutputStatus extends LegStatus {
  readonly id: number;
  readonly reconnects: number;
  readonly retryInMs?: number;
  readonly skipped: number;
  /** Of an output that listens: how many are connected. */
  readonly clients?: number;
}
export interface ClientStatus extends LegStatus {
  readonly id: number;
  /** The output it came to, whose figures count it too; missing for one that came with the play key. */
  readonly outputId?: number;
  readonly protocol: 'rtmp' | 'srt' | 'hls' | 'http' | 'rtsp';
  readonly peer: string;
  readonly skipped: number;
  readonly queueMs: number;
}
/** Clients that no output counts. */
export function ownClients(clients: readonly ClientStatus[]): ClientStatus[] {
  return clients.filter(({ outputId }) => outputId === undefined);
}
export interface FailoverStatus {
  readonly active: InputRole;
  readonly main: InputStatus;
  readonly backup: InputStatus;
  /** Milliseconds since 1970 of the last change of `active`, 0 before any; and why. */
  readonly switchedAt: number;
  readonly switchReason: 'none' | 'noData' | 'noVideo' | 'noAudio' | 'ended' | 'operator' | 'stable';
  readonly switches: number;
}
export interface ChannelStatus {
  readonly id: number;
  /** The one that the outputs carry now. */
  readonly input: InputStatus;
  /** Of a channel with a backup. */
  readonly failover?: FailoverStatus;
  readonly outputs: readonly OutputStatus[];
  readonly clients: readonly ClientStatus[];
}

export interface EnginePart {
  readonly name: 'rtmp' | 'srt' | 'udp' | 'hls' | 'ffmpeg' | 'ndi';
  readonly ok: boolean;
  readonly reason?: string;
  readonly message?: string;
  readonly port?: number;
  readonly version?: string;
}

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
      /** Newest generation that was applied. */
      readonly generation: number;
      readonly memoryBytes: number;
      readonly channels: readonly ChannelStatus[];
    }
  | { readonly type: 'reply'; readonly id: number; readonly reply: EngineReply }
  /** A state transition or a fault, for the log. */
  | { readonly type: 'event'; readonly at: number; readonly level: 'info' | 'warn' | 'error'; readonly text: string };
