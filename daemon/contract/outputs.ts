/**
 * Outputs: destinations a channel sends to; each belongs to one channel at most.
 *
 * `config` on the wire is `{type: 1, url}` beside typed fields, or for RTMP the published members. Either form is
 * accepted: a `url` in the grammar of inputs, or the typed fields. Answers carry both, without secrets.
 */
import * as z from 'zod/mini';
import { get, post } from './endpoint.ts';
import { limits } from './limits.ts';
import { NdiAddress } from './ndi.ts';
import { Ids, Paging, Revised, Revision, SourceName } from './rules.ts';
import { ProtocolBit, RtmpTarget, RtspServer, SrtAddress, UdpAddress } from './streams.ts';

export const Url = z.string().check(z.minLength(1, 'required'), z.maxLength(limits.url.max, 'tooLong'));

/**
 * A destination in one of its forms: `url` with `key` and the rest for RTMP; `url` alone, as
 * udp://host:port?ttl=&localaddr=, the same with rtp, or
 * srt://host:port?mode=caller&latency=&streamid=&passphrase=&pbkeylen=&oheadbw=, or ?mode=listener and
 * &maxconn=, ndi://name?groups=; or the typed `srt`, `udp`, `rtp` or `ndi`; or `port` and `key` of an RTSP server,
 * with `max-client-num`. An
 * answer that is sent back whole is understood: of two forms the one that differs from what is stored counts.
 */
export const OutputConfig = z
  .object({
    type: z.optional(z.union([z.literal(0), z.literal(1)])),
    url: z.optional(Url),
    key: z.optional(RtmpTarget.shape.key),
    'enable-auth': RtmpTarget.shape['enable-auth'],
    username: RtmpTarget.shape.username,
    password: RtmpTarget.shape.password,
    port: z.optional(RtspServer.shape.port),
    'max-client-num': RtspServer.shape['max-client-num'],
    srt: z.optional(SrtAddress),
    udp: z.optional(UdpAddress),
    rtp: z.optional(UdpAddress),
    ndi: z.optional(NdiAddress),
  })
  .check(z.refine(hasForm, { path: ['url'], error: 'required' }));
/** An address is given as a URL or in its typed form. */
type Forms = Partial<Record<'url' | 'srt' | 'udp' | 'rtp' | 'ndi' | 'port', unknown>>;
export function hasForm({ url, srt, udp, rtp, ndi, port }: Forms): boolean {
  return [url, srt, udp, rtp, ndi, port].some((form) => form !== undefined);
}
export type OutputConfig = z.infer<typeof OutputConfig>;

/**
 * The configuration in an answer: all typed fields that apply, and flags for passwords and passphrases. Stream keys,
 * stream ids and the query of a URL are included only with the permission ioEdit; flags replace them for others.
 */
export const ShownConfig = z.object({
  /** 1: the URL says it all. 0: what the members say, for an RTSP server. */
  type: z.optional(z.union([z.literal(0), z.literal(1)])),
  url: z.string(),
  /** Whether the URL has a query that is left out. */
  'url-query-set': z.optional(z.boolean()),
  key: z.optional(z.string()),
  /** In place of the key; also for everyone when the output was made from a server, as is `stream-id-set` of SRT. */
  'key-set': z.optional(z.boolean()),
  'enable-auth': z.optional(z.boolean()),
  username: z.optional(z.string()),
  'password-set': z.optional(z.boolean()),
  port: z.optional(z.number()),
  'max-client-num': z.optional(z.number()),
  'tcp-first': z.optional(z.boolean()),
  'buffer-duration': z.optional(z.number()),
  /** Of an input that takes part of a transport stream. */
  program: z.optional(z.number()),
  'audio-track': z.optional(z.number()),
  srt: z.optional(
    z.extend(z.omit(SrtAddress, { passphrase: true }), {
      'passphrase-set': z.boolean(),
      /** Set for a listener that requires neither a stream ID nor a passphrase, so that any peer can connect. */
      open: z.optional(z.literal(true)),
      'stream-id-set': z.optional(z.boolean()),
    }),
  ),
  udp: z.optional(UdpAddress),
  rtp: z.optional(UdpAddress),
  ndi: z.optional(NdiAddress),
});
export type ShownConfig = z.infer<typeof ShownConfig>;

export const Output = z.object({
  id: z.number(),
  name: z.string(),
  type: z.number(),
  dir: z.number(),
  protocol: ProtocolBit,
  config: ShownConfig,
  revision: z.number(),
  /** Name and id of the channel that uses it. */
  'owner-o': z.optional(z.string()),
  'owner-o-d': z.optional(z.number()),
});
export type Output = z.infer<typeof Output>;

/** Query of a sorted, filtered list. Only `sort=name` exists; without it the order is that of joining. */
export const Sorting = {
  key: z.optional(z.string().check(z.maxLength(limits.name.max, 'tooLong'))),
  sort: z.optional(z.literal('name')),
  order: z.optional(z.enum(['ascending', 'descending'])),
};
/** A page of a list; `total` counts all that match. */
export const listOf = <T extends z.ZodMiniType>(item: T) =>
  z.object({ start: z.number(), total: z.number(), list: z.array(item) });

export const outputApi = {
  list: get('/api/output/list', {
    scope: 'ioView',
    summary: 'Outputs.',
    query: z.object({ ...Paging, ...Sorting }),
    answer: listOf(Output),
  }),
  add: post('/api/output/add', {
    scope: 'ioEdit',
    summary: 'Add an output; with `channel` it is given to that channel in the same step.',
    body: z.object({ name: SourceName, config: OutputConfig, channel: z.optional(z.int('number')) }),
    answer: z.object({ id: z.number() }),
  }),
  set: post('/api/output/set', {
    scope: 'ioEdit',
    summary: 'Change an output; what is left out stays, secrets only while scheme, host and port do.',
    body: z.object({
      id: z.int('number'),
      name: z.optional(SourceName),
      config: z.optional(OutputConfig),
      revision: Revision,
    }),
    answer: Revised,
  }),
  reveal: post('/api/output/reveal', {
    scope: 'ioEdit',
    summary: 'Show an output with its stream key, stream id and query; the operation log records who looked.',
    body: z.object({ id: z.int('number') }),
    answer: z.object({ config: ShownConfig }),
  }),
  del: post('/api/output/del', {
    scope: 'ioEdit',
    summary: 'Delete outputs; `force` also deletes what a channel uses.',
    body: z.object({ id: Ids, force: z.optional(z.boolean()) }),
    answer: z.object({}),
  }),
};
