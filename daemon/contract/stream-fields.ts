/** Schemas shared by inputs, outputs and channels: states, media, addresses. */
import * as z from 'zod/mini';
import { limits } from './limits.ts';
import {
  AudioTrack,
  BandwidthOverhead,
  BufferDuration,
  coded,
  Host,
  IpAddress,
  inWords,
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
import { connectionStates, directions, nodeTypes, protocolBits, sourceStates } from './streams.ts';

/** Protocol. */
export const ProtocolBit = coded(protocolBits);
/** State of a source. */
export const SourceState = coded(sourceStates);
/** State of a connection. */
export const ConnectionState = coded(connectionStates);
/** Origin of an input or output: made by a user, or connected by itself. */
export const NodeType = coded(nodeTypes);
export const Direction = coded(directions);

/** ISO 639, three letters, as in the tables of a transport stream. */
const Language = z.string();

export const MediaInfo = z.object({
  /** `flv` for RTMP, `ts` for MPEG transport streams. */
  container: z.string(),
  video: z.optional(
    z.object({
      codec: z.string(),
      width: z.optional(z.int()),
      height: z.optional(z.int()),
      fps: z.optional(z.number()),
      /** Absent for progressive video. `fps` counts frames. */
      interlaced: z.optional(z.boolean()),
    }),
  ),
  audio: z.optional(
    z.object({
      codec: z.string(),
      'sample-rate': z.optional(z.int()),
      channels: z.optional(z.int()),
      language: z.optional(Language),
    }),
  ),
  /** Number of programs in the transport stream; absent for one. `video` and `audio` describe the one shown. */
  programs: z.optional(z.int()),
  /**
   * Video and audio tracks of the program shown, at most 32, if it has several of a kind. `video` and `audio` are the
   * first of each.
   */
  tracks: z.optional(
    z.array(z.object({ kind: z.enum(['video', 'audio']), codec: z.string(), language: z.optional(Language) })),
  ),
});
export type MediaInfo = z.infer<typeof MediaInfo>;

/** The members with which the hub signs in at the peer. */
const login = {
  'enable-auth': z.optional(z.boolean()),
  username: z.optional(z.string().check(z.maxLength(128, 'tooLong'))),
  /** Write only; responses contain `password-set` instead. */
  password: z.optional(z.string().check(z.maxLength(128, 'tooLong'))),
};

/** RTMP destination as published: `url` up to the application name, `key` the stream. */
export const RtmpTarget = z.object({
  url: z.string().check(
    z.maxLength(limits.url.max, 'tooLong'),
    z.regex(/^rtmps?:\/\/[^\s/?#@]+\/[^\s?#]*$/i, 'rtmpUrl'),
    z.refine((url) => hostAndPortAreValid(url), 'host'),
    inWords('Up to the application name.'),
  ),
  key: z.string().check(z.minLength(1, 'required'), z.maxLength(256, 'tooLong'), z.regex(/^[^\s]*$/, 'characters')),
  ...login,
});

/** A source that the hub pulls, with optional credentials: over HTTP, or by RTSP with interleaved media or UDP. */
const pulledFrom = (url: RegExp, rule: string) =>
  z.object({
    url: z.string().check(
      z.maxLength(limits.url.max, 'tooLong'),
      z.regex(url, rule),
      z.refine((text) => hostAndPortAreValid(text), 'host'),
    ),
    ...login,
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
