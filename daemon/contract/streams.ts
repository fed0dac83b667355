/** Terms shared by inputs, outputs and channels: protocols, states, addresses. */
import * as z from 'zod/mini';
import { limits } from './limits.ts';
import {
  AudioTrack,
  BandwidthOverhead,
  BufferDuration,
  Host,
  IpAddress,
  KeyLength,
  Latency,
  MaxConnections,
  Passphrase,
  Port,
  Program,
  StreamId,
  StreamKey,
  Ttl,
} from './rules.ts';

/** Protocol bits of the published API. */
export const protocolBits = { rtmp: 1, srt: 2, udp: 4, rtp: 8, rtsp: 16, http: 32, ndi: 64 } as const;
export type Protocol = keyof typeof protocolBits;
export const ProtocolBit = z.number();

export function protocolOf(bit: number): Protocol | undefined {
  return (Object.keys(protocolBits) as Protocol[]).find((name) => protocolBits[name] === bit);
}

/** Node types: the high byte is the direction, the low byte the origin. */
export const nodeTypes = { customInput: 258, dynamicInput: 260, customOutput: 514, dynamicOutput: 516 } as const;
export const directions = { none: 0, input: 256, output: 512, both: 768 } as const;

/** States of a source (specification, section 4). */
export const sourceStates = {
  initializing: 0,
  adding: 1,
  running: 2,
  addFailed: 3,
  configuring: 4,
  unsupported: 5,
  firmwareTooOld: 6,
  offline: 7,
  failed: 8,
} as const;
export const SourceState = z.number();

/** Connection states (specification, section 4). */
export const connectionStates = {
  waiting: 0,
  connecting: 1,
  waitingForData: 2,
  connected: 10,
  failed: 20,
  disconnected: 21,
  refused: 22,
  dnsFailed: 23,
  tcpFailed: 24,
  handshakeFailed: 25,
  streamFailed: 26,
  authorizationFailed: 27,
  creationFailed: 28,
} as const;
export type ConnectionStateName = keyof typeof connectionStates;
export const ConnectionState = z.number();

/** ISO 639, three letters, as in the tables of a transport stream. */
const Language = z.string();

export const MediaInfo = z.object({
  /** `flv` for RTMP, `ts` for MPEG transport streams. */
  container: z.string(),
  video: z.optional(
    z.object({
      codec: z.string(),
      width: z.optional(z.number()),
      height: z.optional(z.number()),
      fps: z.optional(z.number()),
      /** Absent for progressive video. `fps` counts frames. */
      interlaced: z.optional(z.boolean()),
    }),
  ),
  audio: z.optional(
    z.object({
      codec: z.string(),
      'sample-rate': z.optional(z.number()),
      channels: z.optional(z.number()),
      language: z.optional(Language),
    }),
  ),
  /** Number of programs in the transport stream; absent for one. `video` and `audio` describe the one shown. */
  programs: z.optional(z.number()),
  /**
   * Video and audio tracks of the program shown, at most 32, if it has several of a kind. `video` and `audio` are the
   * first of each.
   */
  tracks: z.optional(
    z.array(z.object({ kind: z.enum(['video', 'audio']), codec: z.string(), language: z.optional(Language) })),
  ),
});
export type MediaInfo = z.infer<typeof MediaInfo>;

/** RTMP destination as published: `url` up to the application name, `key` the stream. */
export const RtmpTarget = z.object({
  url: z.string().check(
    z.maxLength(limits.url.max, 'tooLong'),
    z.regex(/^rtmps?:\/\/[^\s/?#@]+\/[^\s?#]*$/, 'rtmpUrl'),
    z.refine((url) => hostAndPortAreValid(url), 'host'),
  ),
  key: z.string().check(z.minLength(1, 'required'), z.maxLength(256, 'tooLong'), z.regex(/^[^\s]*$/, 'characters')),
  'enable-auth': z.optional(z.boolean()),
  username: z.optional(z.string().check(z.maxLength(128, 'tooLong'))),
  /** Write only; responses contain `password-set` instead. */
  password: z.optional(z.string().check(z.maxLength(128, 'tooLong'))),
});

/** A source that the hub pulls, with optional credentials: over HTTP, or by RTSP with interleaved media or UDP. */
const pulledFrom = (url: RegExp, rule: string) =>
  z.object({
    url: z.string().check(
      z.maxLength(limits.url.max, 'tooLong'),
      z.regex(url, rule),
      z.refine((text) => hostAndPortAreValid(text), 'host'),
    ),
    'enable-auth': z.optional(z.boolean()),
    username: z.optional(z.string().check(z.maxLength(128, 'tooLong'))),
    password: z.optional(z.string().check(z.maxLength(128, 'tooLong'))),
    'buffer-duration': z.optional(BufferDuration),
  });
export const RtspSource = z.extend(pulledFrom(/^rtsp:\/\/[^\s/?#@]+(\/\S*)?$/i, 'rtspUrl'), {
  'tcp-first': z.optional(z.boolean()),
});
export const HttpSource = pulledFrom(/^https?:\/\/[^\s/?#@]+(\/\S*)?$/i, 'httpUrl');

/** An output that players pull from the hub, at rtsp://hub:port/key, as published. */
export const RtspServer = z.object({
  port: Port,
  /** The path. */
  key: StreamKey,
  /** Maximum number of players at a time. */
  'max-client-num': z.optional(MaxConnections),
  'enable-auth': z.optional(z.boolean()),
  username: z.optional(z.string().check(z.maxLength(128, 'tooLong'), z.regex(/^[^:\s"]*$/, 'characters'))),
  /** Write only; responses contain `password-set` instead. */
  password: z.optional(z.string().check(z.maxLength(128, 'tooLong'))),
});

/**
 * An SRT address: of the peer to call, or of the hub for a listener on its own port; `host` is then an address of this
 * machine, 0.0.0.0 for all. Latency in milliseconds.
 */
export const SrtAddress = z.object({
  mode: z.enum(['caller', 'listener']),
  host: Host,
  port: Port,
  latency: Latency,
  'bandwidth-overhead': z.optional(BandwidthOverhead),
  /** Caller: the stream ID to send. Listener: the stream ID that callers must send; empty accepts any. */
  'stream-id': z.optional(StreamId),
  'pb-key-len': z.optional(KeyLength),
  /** Write only; responses contain `passphrase-set` instead. */
  passphrase: z.optional(Passphrase),
  /** For an output in listener mode; an input accepts one sender. */
  'max-connections': z.optional(MaxConnections),
});
export type SrtAddress = z.infer<typeof SrtAddress>;

/** TS over UDP or RTP. `host` is a multicast group, a peer, or 0.0.0.0 or :: (input: any unicast sender). */
export const UdpAddress = z.object({
  host: Host,
  port: Port,
  ttl: z.optional(Ttl),
  /** Address or name of the local interface for multicast. */
  interface: z.optional(Host),
  /** Input: the only accepted sender (for a multicast group: source-specific multicast). */
  source: z.optional(IpAddress),
});
export type UdpAddress = z.infer<typeof UdpAddress>;

/** The part of a transport stream (SRT, UDP, RTP or HTTP) that an input uses. If both are 0, it passes unchanged. */
export const TsSelection = z.object({
  /** Program number; 0: the first. */
  program: z.optional(Program),
  /** The nth audio stream of the program; 0: all. */
  'audio-track': z.optional(AudioTrack),
});

function hostAndPortAreValid(url: string): boolean {
  const authority = /^\w+:\/\/([^/]+)/.exec(url)?.[1] ?? '';
  const [, host = '', port] = /^(\[[^\]]+\]|[^:]*)(?::(\d+))?$/.exec(authority) ?? [];
  if (port !== undefined && !Port.safeParse(Number(port)).success) return false;
  return Host.safeParse(host.replace(/^\[|\]$/g, '')).success;
}
