/**
 * Outputs: destinations a channel sends to; each belongs to at most one channel.
 *
 * In the API, `config` is `{type: 1, url}` with typed fields, or the published members for RTMP. Either form is
 * accepted: a `url` with the syntax of inputs, or the typed fields. Responses contain both, without secrets.
 */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { limits } from './limits.ts';
import { NdiAddress } from './ndi.ts';
import { CopyOf, changeOf, hasConfigOrOriginal, Ids, listOf, Paging, Revised, Sorting, SourceName } from './rules.ts';
import { Direction, NodeType, ProtocolBit, RtmpTarget, RtspServer, SrtAddress, UdpAddress } from './stream-fields.ts';

/** An address is given as a URL or in its typed form. */
const forms = ['url', 'srt', 'udp', 'rtp', 'ndi', 'port'] as const;
type Forms = Partial<Record<(typeof forms)[number], unknown>>;
export const hasForm = z.refine<Forms>((config) => forms.some((form) => config[form] !== undefined), {
  path: ['url'],
  error: 'required',
});

/** The forms that inputs and outputs share. */
export const addressForms = {
  type: z.optional(z.union([z.literal(0), z.literal(1)])),
  url: z.optional(z.string().check(z.minLength(1, 'required'), z.maxLength(limits.url.max, 'tooLong'))),
  /** RTMP: the stream name. Of an input only if the URL does not end with it. */
  key: z.optional(RtmpTarget.shape.key),
  'enable-auth': RtmpTarget.shape['enable-auth'],
  username: RtmpTarget.shape.username,
  password: RtmpTarget.shape.password,
  srt: z.optional(SrtAddress),
  udp: z.optional(UdpAddress),
  rtp: z.optional(UdpAddress),
  ndi: z.optional(NdiAddress),
};

/**
 * A destination in one of its forms: `url` with `key` and the rest for RTMP; `url` alone, as
 * udp://host:port?ttl=&localaddr=, the same with rtp, or
 * srt://host:port?mode=caller&latency=&streamid=&passphrase=&pbkeylen=&oheadbw=, or ?mode=listener and
 * &maxconn=, ndi://name?groups=; or the typed `srt`, `udp`, `rtp` or `ndi`; or `port` and `key` of an RTSP server,
 * with `max-client-num`. A response can be sent back unchanged: of two forms, the one that differs from the stored
 * configuration counts.
 */
export const OutputConfig = z
  .object({
    ...addressForms,
    port: z.optional(RtspServer.shape.port),
    'max-client-num': RtspServer.shape['max-client-num'],
  })
  .check(hasForm);
export type OutputConfig = z.infer<typeof OutputConfig>;

/**
 * The configuration in a response: all typed fields that apply, and flags for passwords and passphrases. Stream keys,
 * stream IDs and the query of a URL are included only with the permission ioEdit; flags replace them for others.
 */
export const ShownConfig = z.object({
  /** 1: the URL is the complete configuration but for its secrets. 0: the members are, for an RTSP server. */
  type: z.optional(z.union([z.literal(0), z.literal(1)])),
  url: z.string(),
  /** Whether the URL has a query that was removed. */
  'url-query-set': z.optional(z.boolean()),
  /** Of an RTMP input only if its URL cannot contain it: the key has a slash. */
  key: z.optional(z.string()),
  /** Sent instead of the key; for every user if the output was made from a server, as is `stream-id-set` of SRT. */
  'key-set': z.optional(z.boolean()),
  'enable-auth': z.optional(z.boolean()),
  username: z.optional(z.string()),
  'password-set': z.optional(z.boolean()),
  port: z.optional(z.int()),
  'max-client-num': z.optional(z.int()),
  'tcp-first': z.optional(z.boolean()),
  'buffer-duration': z.optional(z.int()),
  /** For an input that uses part of a transport stream. */
  program: z.optional(z.int()),
  'audio-track': z.optional(z.int()),
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

/** An input or output in a response. */
export const shownMembers = {
  id: z.int(),
  name: z.string(),
  type: NodeType,
  dir: Direction,
  protocol: ProtocolBit,
  config: ShownConfig,
  revision: z.int(),
};

export const Output = z.object({
  ...shownMembers,
  /** Name and id of the channel that uses it. */
  'owner-o': z.optional(z.string()),
  'owner-o-d': z.optional(z.int()),
});
export type Output = z.infer<typeof Output>;

export const outputApi = endpoints(calls.outputs, {
  list: {
    summary: 'List outputs.',
    query: z.object({ ...Paging, ...Sorting }),
    response: listOf(Output),
  },
  add: {
    summary:
      'Add an output; `channel` assigns it to that channel in the same call, where it sends at once unless `enable` is false. `copy-of` is an output whose secrets it keeps if scheme, host and port match; without `config`, it is an exact copy.',
    body: z
      .object({
        name: SourceName,
        config: z.optional(OutputConfig),
        'copy-of': CopyOf,
        channel: z.optional(z.int('number')),
        enable: z.optional(z.boolean()),
      })
      .check(...hasConfigOrOriginal),
    shown: Output,
    response: z.object({ id: z.int() }),
  },
  set: {
    summary: 'Change an output. Omitted members stay unchanged; secrets only if scheme, host and port are unchanged.',
    body: changeOf(OutputConfig),
    shown: Output,
    response: Revised,
  },
  reveal: {
    summary: 'Reveal an output with its stream key, stream ID and query; the operation log records the user.',
    body: z.object({ id: z.int('number') }),
    response: z.object({ config: ShownConfig }),
  },
  del: {
    summary: 'Delete outputs; `force` also deletes outputs that a channel uses.',
    body: z.object({
      id: Ids,
      /** Also if a channel uses it; 1005 without. */
      force: z.optional(z.boolean()),
    }),
  },
});
