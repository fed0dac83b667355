/** The state reported by the engine. */

/** Reason why a connection is not connected; the console translates it. */
export type ConnectionReason =
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
  | 'noProgram'
  | 'badInput'
  | 'codecNotPossible'
  | 'soundLeftOut'
  | 'addressInUse'
  | 'notPermitted'
  | 'partMissing'
  | 'internal';

/** The last caller that a listener refused because of its passphrase. Cleared once one is accepted. */
export interface RefusedCaller {
  readonly peer: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** `conn` and `state` are the numbers of the contract's connectionStates and sourceStates. */
export interface ConnectionStatus {
  readonly conn: number;
  readonly state: number;
  readonly reason?: ConnectionReason;
  /** Average over the last second. */
  readonly kbps: number;
  readonly bytes: number;
  /** Milliseconds since 1970 when packets began to flow; 0 while there are none. */
  readonly since: number;
  readonly refused?: RefusedCaller;
  readonly srt?: SrtReport;
  readonly datagrams?: DatagramReport;
  readonly quality?: ConnectionQuality;
}
/** Packet counts are totals since the connection was made. */
export interface SrtReport {
  readonly rttMs: number;
  /** Packets that should have arrived, or that were sent, each counted once. */
  readonly packets: number;
  readonly lost: number;
  readonly retransmitted: number;
  readonly dropped: number;
  readonly bufferMs: number;
}
/** Input over UDP, or RTP of an RTSP session; totals since it was opened, except for the jitter. */
export interface DatagramReport {
  readonly received: number;
  /** UDP and RTP: received but not read in time, by the endpoint or by the engine. */
  readonly dropped?: number;
  /** UDP and RTP: from an address other than the accepted sender. */
  readonly refused?: number;
  /** RTP only, like the next two: they require sequence numbers. */
  readonly lost?: number;
  readonly reordered?: number;
  /** Duplicates, or received after they were given up. */
  readonly late?: number;
  /** As defined by RFC 3550, by RTP timestamps, otherwise by the clock of the stream. */
  readonly jitterMs: number;
}

/** Packets and continuity errors within a step, percent of the packets, and the maximum of the step in milliseconds. */
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
/** Over the last second; `lossPercent` over the last 10 s. Unknown values are absent. */
export type ConnectionQuality = Partial<Readonly<Record<QualityFigure, number>>>;
/** One value per step, the newest last; null where it is unknown. */
export interface QualityHistory {
  readonly stepSeconds: number;
  /** Milliseconds since 1970 of the newest step. */
  readonly end: number;
  /** Whether the connection existed for the whole step. */
  readonly connected: readonly boolean[];
  /** Only metrics with at least one known value. */
  readonly figures: Partial<Readonly<Record<QualityFigure, readonly (number | null)[]>>>;
}
/** A connection of a channel. */
export type ConnectionName = 'input' | { readonly output: number } | { readonly client: number };

export interface InputStatus extends ConnectionStatus {
  /** `rtmp`, `srt`, `udp`, `rtp`, `rtsp` or `http`; '' while not connected. */
  readonly protocol: string;
  readonly peer: string;
  readonly reconnects: number;
  readonly ccErrors?: number;
  /** Seconds without video, and without audio; since it connected if there was none. */
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
  /** For a transport stream with several programs. */
  readonly programs?: number;
  /** All video and audio tracks of the program shown, if there are several of a kind. */
  readonly tracks?: readonly TrackStatus[];
}
export interface TrackStatus {
  readonly kind: 'video' | 'audio';
  readonly codec: string;
  /** ISO 639, three letters. */
  readonly language?: string;
}
export interface OutputStatus extends ConnectionStatus {
  readonly id: number;
  readonly reconnects: number;
  readonly retryInMs?: number;
  readonly skipped: number;
  /** Number of connected receivers, for an output in listener mode. */
  readonly clients?: number;
}
export interface ClientStatus extends ConnectionStatus {
  readonly id: number;
  /** The output that the client connected to, whose statistics include it; absent for clients with the play key. */
  readonly outputId?: number;
  readonly protocol: 'rtmp' | 'srt' | 'hls' | 'http' | 'rtsp';
  readonly peer: string;
  readonly skipped: number;
  readonly queueMs: number;
}
/** Clients that are not counted by an output. */
export function ownClients(clients: readonly ClientStatus[]): ClientStatus[] {
  return clients.filter(({ outputId }) => outputId === undefined);
}
export type InputRole = 'main' | 'backup' | 'slate';
export interface FailoverStatus {
  readonly active: InputRole;
  readonly main: InputStatus;
  readonly backup: InputStatus;
  /** Milliseconds since 1970 of the last change of `active`, 0 before any; and the reason. */
  readonly switchedAt: number;
  readonly switchReason: 'none' | 'noData' | 'noVideo' | 'noAudio' | 'ended' | 'operator' | 'stable';
  readonly switches: number;
  /** Milliseconds since 1970 when the main input takes over from the backup, if it stays good; absent if it won't. */
  readonly returnsAt?: number;
}
export interface ChannelStatus {
  readonly id: number;
  /** The input that the outputs currently carry. */
  readonly input: InputStatus;
  /** For a channel with a backup. */
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
