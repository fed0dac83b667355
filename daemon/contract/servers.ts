/**
 * Servers: destinations that are kept by name, so that outputs can be made from them. Each takes a main stream, a sub
 * stream, or both, and has a key for each: of RTMP the stream key, of SRT the stream id. Keys are written and never read.
 */
import * as z from 'zod/mini';
import { get, post } from './endpoint.ts';
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
import { RtmpTarget, SrtAddress } from './streams.ts';

export const serverTypes = { rtmp: 1, srtCaller: 2, srtListener: 3 } as const;
export type ServerType = (typeof serverTypes)[keyof typeof serverTypes];

export const serverStreams = ['main', 'sub'] as const;
export type ServerStream = (typeof serverStreams)[number];

/** Which streams it takes: the main one alone when left out. What is left out of a change stays. */
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
  /** The host that is called. */
  url: Host,
  ...srt,
  ...streams,
});
export const SrtListenerServer = z.object({
  type: z.literal(serverTypes.srtListener),
  /** Address of this machine; 0.0.0.0 for all when left out. */
  url: z.optional(Host),
  ...srt,
  'max-connections': z.optional(MaxConnections),
  ...streams,
});
export const ServerConfig = z.discriminatedUnion('type', [RtmpServer, SrtCallerServer, SrtListenerServer]);
export type ServerConfig = z.infer<typeof ServerConfig>;

/** What an answer shows: what applies to the type, with flags in place of secrets. */
export const Server = z.object({
  id: z.number(),
  name: z.string(),
  type: z.number(),
  /** Of RTMP up to the application name; of SRT the host. */
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

export const serverApi = {
  list: get('/api/server/list', {
    scope: 'ioView',
    summary: 'Servers.',
    query: z.object({ ...Paging, ...Sorting }),
    answer: listOf(Server),
  }),
  add: post('/api/server/add', {
    scope: 'ioEdit',
    summary: 'Add a server; one that takes the same stream at the same place is refused.',
    body: z.object({ name: SourceName, config: ServerConfig }),
    answer: z.object({ id: z.number() }),
  }),
  set: post('/api/server/set', {
    scope: 'ioEdit',
    summary:
      'Change a server; what is left out stays, secrets only while scheme, host and port do. Outputs made from it stay as they are.',
    body: z.object({
      id: z.int('number'),
      name: z.optional(SourceName),
      config: z.optional(ServerConfig),
      revision: Revision,
    }),
    answer: Revised,
  }),
  del: post('/api/server/del', {
    scope: 'ioEdit',
    summary: 'Delete servers; outputs made from them stay.',
    body: z.object({ id: Ids }),
    answer: z.object({}),
  }),
  addOutput: post('/api/server/output/add', {
    scope: 'ioEdit',
    summary: 'Make an output that sends to one of the streams of a server; with `channel` it is given to that channel.',
    body: z.object({
      id: z.int('number'),
      stream: z.enum(serverStreams),
      name: SourceName,
      channel: z.optional(z.int('number')),
    }),
    answer: z.object({ id: z.number() }),
  }),
};
