/**
 * Servers: named destinations that outputs can be made from. Each accepts a main stream, a sub stream, or both, with a
 * key for each: the stream key for RTMP, the stream ID for SRT. Keys can be written but not read.
 */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { listOf, Sorting } from './outputs.ts';
import {
  BandwidthOverhead,
  Host,
  Ids,
  KeyLength,
  Latency,
  MaxConnections,
  Paging,
  Port,
  Revised,
  Revision,
  SourceName,
} from './rules.ts';
import { serverStreams, serverTypes } from './streams.ts';
import { RtmpTarget, SrtAddress } from './streams-schema.ts';

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

/** A server in a response: the members that apply to the type, with flags instead of secrets. */
export const Server = z.object({
  id: z.number(),
  name: z.string(),
  type: z.number(),
  /** RTMP: up to the application name. SRT: the host. */
  url: z.string(),
  port: z.optional(z.number()),
  latency: z.optional(z.number()),
  'bandwidth-overhead': z.optional(z.number()),
  'pb-key-len': z.optional(z.number()),
  'passphrase-set': z.optional(z.boolean()),
  'max-connections': z.optional(z.number()),
  'enable-auth': z.optional(z.boolean()),
  username: z.optional(z.string()),
  'password-set': z.optional(z.boolean()),
  'main-stream': z.boolean(),
  'main-key-set': z.boolean(),
  'sub-stream': z.boolean(),
  'sub-key-set': z.boolean(),
  revision: z.number(),
});
export type Server = z.infer<typeof Server>;

export const serverApi = endpoints(calls.servers, {
  list: {
    summary: 'List servers.',
    query: z.object({ ...Paging, ...Sorting }),
    response: listOf(Server),
  },
  add: {
    summary: 'Add a server; refused if another one accepts the same stream at the same address.',
    body: z.object({ name: SourceName, config: ServerConfig }),
    response: z.object({ id: z.number() }),
  },
  set: {
    summary:
      'Change a server. Omitted members stay unchanged; secrets only if scheme, host and port are unchanged. Outputs made from it are not changed.',
    body: z.object({
      id: z.int('number'),
      name: z.optional(SourceName),
      config: z.optional(ServerConfig),
      revision: Revision,
    }),
    response: Revised,
  },
  del: {
    summary: 'Delete servers; outputs made from them are kept.',
    body: z.object({ id: Ids }),
  },
  addOutput: {
    summary: 'Create an output that sends to one of the streams of a server; `channel` assigns it to that channel.',
    body: z.object({
      id: z.int('number'),
      stream: z.enum(serverStreams),
      name: SourceName,
      channel: z.optional(z.int('number')),
    }),
    response: z.object({ id: z.number() }),
  },
});
