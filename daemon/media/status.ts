/** What is, as the engine reports it. */

/** A word for why a leg isn't connected; the console translates it. */
export type LegReason =
  | 'switchedOff'
  | 'noInput'
  | 'dnsFailed'
  | 'addressNotAllowed'
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
  | 'replaced'
  | 'noData'
  | 'noSync'
  | 'noProgramme'
  | 'badInput'
  | 'codecNotPossible'
  | 'soundLeftOut'
  | 'addressInUse'
  | 'notPermitted'
  | 'partMissing'
  | 'internal';

/** The newest caller that a listener turned away for its passphrase. Forgotten once one is let in. */
export interface RefusedCaller {
  readonly peer: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

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
  readonly refused?: RefusedCaller;
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
/** Of what comes in over UDP, or as RTP of an RTSP session; but for the jitter, totals since that was opened. */
export interface DatagramReport {
  readonly received: number;
  /** UDP and RTP: arrived and were not read in time, by the endpoint or by the engine. */
  readonly dropped?: number;
  /** UDP and RTP: came from others than the sender that is heard. */
  readonly refused?: number;
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
  readonly video?: {
    readonly codec: string;
    readonly width?: number;
    readonly height?: number;
    readonly fps?: number;
    readonly interlaced?: true;
  };
  readonly audio?: {
    readonly codec: string;
    readonly sampleRate?: number;
    readonly channels?: number;
    readonly language?: string;
  };
  /** Of a transport stream that has several. */
  readonly programs?: number;
  /** All pictures and sounds of the program shown, where there are more than one of each. */
  readonly tracks?: readonly TrackStatus[];
}
export interface TrackStatus {
  readonly kind: 'video' | 'audio';
  readonly codec: string;
  /** ISO 639, three letters. */
  readonly language?: string;
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
export type InputRole = 'main' | 'backup' | 'slate';
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
  readonly name: 'rtmp' | 'srt' | 'udp' | 'hls' | 'ffmpeg' | 'ndi' | 'confinement' | 'descriptors';
  readonly ok: boolean;
  readonly reason?: string;
  readonly message?: string;
  /** The bound port, even if the settings name port 0. */
  readonly port?: number;
  readonly version?: string;
}
