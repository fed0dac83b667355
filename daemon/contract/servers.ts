/**
 * Servers: named destinations that outputs can be made from. Each accepts a main stream, a sub stream, or both, with a
 * key for each: the stream key for RTMP, the stream ID for SRT. Keys can be written but not read.
 */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { CopyOf, changeOf, coded, Ids, listOf, Paging, Revised, Sorting, SourceName } from './rules.ts';
import { ServerConfig } from './server-fields.ts';
import { serverStreams, serverTypes } from './streams.ts';

/** A server in a response: the members that apply to the type, with flags instead of secrets. */
export const Server = z.object({
  id: z.int(),
  name: z.string(),
  type: coded(serverTypes),
  /** RTMP: up to the application name. SRT: the host. */
  url: z.string(),
  port: z.optional(z.int()),
  latency: z.optional(z.int()),
  'bandwidth-overhead': z.optional(z.int()),
  'pb-key-len': z.optional(z.int()),
  'passphrase-set': z.optional(z.boolean()),
  'max-connections': z.optional(z.int()),
  'enable-auth': z.optional(z.boolean()),
  username: z.optional(z.string()),
  'password-set': z.optional(z.boolean()),
  /** Whether it accepts a main stream. */
  'main-stream': z.boolean(),
  'main-key-set': z.boolean(),
  /** Whether it accepts a sub stream. */
  'sub-stream': z.boolean(),
  'sub-key-set': z.boolean(),
  revision: z.int(),
});
export type Server = z.infer<typeof Server>;

export const serverApi = endpoints(calls.servers, {
  list: {
    summary: 'List servers.',
    query: z.object({ ...Paging, ...Sorting }),
    response: listOf(Server),
  },
  add: {
    summary:
      'Add a server; refused if another one accepts the same stream at the same address. `copy-of` is a server whose secrets it keeps if scheme, host and port match.',
    body: z.object({ name: SourceName, config: ServerConfig, 'copy-of': CopyOf }),
    shown: z.object({ config: Server }),
    response: z.object({ id: z.int() }),
  },
  set: {
    summary:
      'Change a server. Omitted members stay unchanged; secrets only if scheme, host and port are unchanged. Outputs made from it are not changed.',
    body: changeOf(ServerConfig),
    shown: z.object({ config: Server }),
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
    response: z.object({ id: z.int() }),
  },
});
