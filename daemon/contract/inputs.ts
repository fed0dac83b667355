/** Configured inputs: sources that a channel can use instead of its push key. */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { addressForms, hasForm, ShownConfig, shownMembers } from './outputs.ts';
import {
  CopyOf,
  changeOf,
  hasConfigOrOriginal,
  Ids,
  listOf,
  OptionalBuffer,
  Paging,
  Revised,
  Sorting,
  SourceName,
} from './rules.ts';
import { ConnectionState, MediaInfo, TsSelection } from './stream-fields.ts';

/**
 * A source in one of its forms: `url`, or the typed `srt`, `udp`, `rtp` or `ndi`. URLs are as for outputs, plus
 * `source=` for the only accepted sender, rtmp://host/app/stream, rtsp://host/path?mw-tcp-first=1, and
 * http://host/stream.ts or .m3u8. `mw-program` and `mw-audio-track` of a transport stream, and `mw-buffer-duration`,
 * are equivalent to the members. A user name and password in the URL become `username` and `password`.
 */
export const InputConfig = z
  .object({
    ...addressForms,
    /** RTSP: interleaved media, with UDP as the fallback. Otherwise UDP comes first. */
    'tcp-first': z.optional(z.boolean()),
    /** Jitter buffer in milliseconds. Default: 200 for RTSP and HTTP, 0 for UDP, RTP, RTMP and NDI. */
    'buffer-duration': z.optional(OptionalBuffer),
    ...TsSelection.shape,
  })
  .check(hasForm);
export type InputConfig = z.infer<typeof InputConfig>;

export const Input = z.object({
  ...shownMembers,
  /** Names and ids of the channels that use it; absent if there are none. */
  'owner-i': z.optional(z.array(z.string())),
  'owner-i-d': z.optional(z.array(z.int())),
});
export type Input = z.infer<typeof Input>;

/** What the test of an input found, or the last state of its connection and the reason. */
export const SourceTest = z.union([
  z.object({ found: z.literal(true), media: MediaInfo }),
  z.object({ found: z.literal(false), 'conn-state': ConnectionState, reason: z.string() }),
]);
export type SourceTest = z.infer<typeof SourceTest>;

export const inputApi = endpoints(calls.inputs, {
  list: {
    summary: 'List inputs.',
    query: z.object({ ...Paging, ...Sorting }),
    response: listOf(Input),
  },
  add: {
    summary:
      'Add an input. `copy-of` is an input whose secrets it keeps if scheme, host and port match; without `config`, it is an exact copy.',
    body: z
      .object({ name: SourceName, config: z.optional(InputConfig), 'copy-of': CopyOf })
      .check(...hasConfigOrOriginal),
    shown: Input,
    response: z.object({ id: z.int() }),
  },
  set: {
    summary: 'Change an input. Omitted members stay unchanged; secrets only if scheme, host and port are unchanged.',
    body: changeOf(InputConfig),
    shown: Input,
    response: Revised,
  },
  test: {
    summary:
      'Open an input as a channel would and return its media within 11 s: a stored one by `id`, any other by `config`. With both, secrets omitted from `config` are taken from the stored input if scheme, host and port match. The test ends with the request.',
    body: z.object({ id: z.optional(z.int('number')), config: z.optional(InputConfig) }).check(
      z.refine(({ id, config }) => id !== undefined || config !== undefined, { path: ['config'], error: 'required' }),
      z.meta({ anyOf: [{ required: ['id'] }, { required: ['config'] }] }),
    ),
    shown: Input,
    response: SourceTest,
  },
  reveal: {
    summary: 'Reveal an input with its stream key, stream ID and query; the operation log records the user.',
    body: z.object({ id: z.int('number') }),
    response: z.object({ config: ShownConfig }),
  },
  del: {
    summary: 'Delete inputs; `force` also deletes inputs that a channel uses.',
    body: z.object({
      id: Ids,
      /** Also if a channel uses it; 1005 without. */
      force: z.optional(z.boolean()),
    }),
  },
});
