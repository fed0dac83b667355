/** Inputs made by hand: where a channel can take its stream from instead of the push key. */
import * as z from 'zod/mini';
import { get, post } from './endpoint.ts';
import { NdiAddress } from './ndi.ts';
import { hasForm, listOf, ShownConfig, Sorting, Url } from './outputs.ts';
import { Ids, OptionalBuffer, Paging, Revised, Revision, SourceName } from './rules.ts';
import { ConnectionState, MediaInfo, ProtocolBit, RtmpTarget, SrtAddress, TsSelection, UdpAddress } from './streams.ts';

/**
 * A source in one of its forms: `url`, or the typed `srt`, `udp`, `rtp` or `ndi`. URLs are those of outputs, with `source=` for
 * the only sender that is heard, and rtmp://host/app/stream, rtsp://host/path?mw-tcp-first=1,
 * http://host/stream.ts or .m3u8. `mw-program` and `mw-audio-track` of a transport
 * stream, and `mw-buffer-duration`, say the same as the members. A name and password in the URL become `username` and `password`.
 */
export const InputConfig = z
  .object({
    type: z.optional(z.union([z.literal(0), z.literal(1)])),
    url: z.optional(Url),
    /** RTMP: the stream, when the URL doesn't end with it. */
    key: z.optional(RtmpTarget.shape.key),
    'enable-auth': RtmpTarget.shape['enable-auth'],
    username: RtmpTarget.shape.username,
    password: RtmpTarget.shape.password,
    /** RTSP: media within the connection; UDP is tried when the source doesn't do that. Otherwise UDP comes first. */
    'tcp-first': z.optional(z.boolean()),
    /** What is held to even out the network, milliseconds. RTSP and HTTP hold 200 when it is left out, UDP, RTP, RTMP and NDI nothing: 0. */
    'buffer-duration': z.optional(OptionalBuffer),
    program: TsSelection.shape.program,
    'audio-track': TsSelection.shape['audio-track'],
    srt: z.optional(SrtAddress),
    udp: z.optional(UdpAddress),
    rtp: z.optional(UdpAddress),
    ndi: z.optional(NdiAddress),
  })
  .check(z.refine(hasForm, { path: ['url'], error: 'required' }));
export type InputConfig = z.infer<typeof InputConfig>;

export const Input = z.object({
  id: z.number(),
  name: z.string(),
  type: z.number(),
  dir: z.number(),
  protocol: ProtocolBit,
  config: ShownConfig,
  revision: z.number(),
  /** Names and ids of the channels that use it; absent when none does. */
  'owner-i': z.optional(z.array(z.string())),
  'owner-i-d': z.optional(z.array(z.number())),
});
export type Input = z.infer<typeof Input>;

/** What the test of an input found, or in which state its connection was last and why. */
export const SourceTest = z.union([
  z.object({ found: z.literal(true), media: MediaInfo }),
  z.object({ found: z.literal(false), 'conn-state': ConnectionState, reason: z.string() }),
]);
export type SourceTest = z.infer<typeof SourceTest>;

export const inputApi = {
  list: get('/api/input/source/list', {
    scope: 'ioView',
    summary: 'Inputs.',
    query: z.object({ ...Paging, ...Sorting }),
    answer: listOf(Input),
  }),
  add: post('/api/input/source/add', {
    scope: 'ioEdit',
    summary: 'Add an input.',
    body: z.object({ name: SourceName, config: InputConfig }),
    answer: z.object({ id: z.number() }),
  }),
  set: post('/api/input/source/set', {
    scope: 'ioEdit',
    summary: 'Change an input; what is left out stays, secrets only while scheme, host and port do.',
    body: z.object({
      id: z.int('number'),
      name: z.optional(SourceName),
      config: z.optional(InputConfig),
      revision: Revision,
    }),
    answer: Revised,
  }),
  test: post('/api/input/source/test', {
    scope: 'ioEdit',
    summary:
      'Open an input as a channel would and say within 11 s what it brings: a stored one by `id`, any other by `config`; with both, secrets that `config` leaves out are the stored ones, for the same scheme, host and port only. Ends with the request.',
    body: z
      .object({ id: z.optional(z.int('number')), config: z.optional(InputConfig) })
      .check(
        z.refine(({ id, config }) => id !== undefined || config !== undefined, { path: ['config'], error: 'required' }),
      ),
    answer: SourceTest,
  }),
  reveal: post('/api/input/source/reveal', {
    scope: 'ioEdit',
    summary: 'Show an input with its stream key, stream id and query; the operation log records who looked.',
    body: z.object({ id: z.int('number') }),
    answer: z.object({ config: ShownConfig }),
  }),
  del: post('/api/input/source/del', {
    scope: 'ioEdit',
    summary: 'Delete inputs; `force` also deletes what a channel uses.',
    body: z.object({ id: Ids, force: z.optional(z.boolean()) }),
    answer: z.object({}),
  }),
};
