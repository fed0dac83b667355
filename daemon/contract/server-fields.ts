/** The address of a server and its streams. */
import * as z from 'zod/mini';
import { BandwidthOverhead, Host, KeyLength, Latency, MaxConnections, Port } from './rules.ts';
import { RtmpTarget, SrtAddress } from './stream-fields.ts';
import { serverTypes } from './streams.ts';

/** The streams that it accepts: only the main one by default. Members absent from a change stay unchanged. */
const streams = {
  'main-stream': z.optional(z.boolean()),
  'main-key': z.optional(z.string().check(z.maxLength(256, 'tooLong'), z.regex(/^[^\p{Cc}]*$/u, 'characters'))),
  'sub-stream': z.optional(z.boolean()),
  'sub-key': z.optional(z.string().check(z.maxLength(256, 'tooLong'), z.regex(/^[^\p{Cc}]*$/u, 'characters'))),
};
const srt = {
  port: Port,
  latency: z.optional(Latency),
  'bandwidth-overhead': z.optional(BandwidthOverhead),
  'pb-key-len': z.optional(KeyLength),
  passphrase: SrtAddress.shape.passphrase,
};

export const RtmpServer = z.object({
  type: z.literal(serverTypes.rtmp),
  /** Up to the application name. */
  url: RtmpTarget.shape.url,
  'enable-auth': RtmpTarget.shape['enable-auth'],
  username: RtmpTarget.shape.username,
  password: RtmpTarget.shape.password,
  ...streams,
});
export const SrtCallerServer = z.object({
  type: z.literal(serverTypes.srtCaller),
  /** The host to call. */
  url: Host,
  ...srt,
  ...streams,
});
export const SrtListenerServer = z.object({
  type: z.literal(serverTypes.srtListener),
  /** Address of this machine; 0.0.0.0 (all) by default. */
  url: z.optional(Host),
  ...srt,
  'max-connections': z.optional(MaxConnections),
  ...streams,
});
export const ServerConfig = z.discriminatedUnion('type', [RtmpServer, SrtCallerServer, SrtListenerServer]);
export type ServerConfig = z.infer<typeof ServerConfig>;
