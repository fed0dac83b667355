/** Inputs made by hand: where a channel can take its stream from instead of the push key. */
import * as z from 'zod/mini';
import { get, post } from './endpoint.ts';
import { hasForm, listOf, ShownConfig, Sorting, Url } from './outputs.ts';
import { Ids, Paging, SourceName } from './rules.ts';
import { ProtocolBit, SrtAddress, UdpAddress } from './streams.ts';

/** A source in one of its forms: `url`, as for an output, or the typed `srt`, `udp` or `rtp`; `source=` in the URL
 * names the only sender of a group that is heard. */
export const InputConfig = z
  .object({
    type: z.optional(z.literal(1)),
    url: z.optional(Url),
    srt: z.optional(SrtAddress),
    udp: z.optional(UdpAddress),
    rtp: z.optional(UdpAddress),
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
  /** Names and ids of the channels that use it; absent when none does. */
  'owner-i': z.optional(z.array(z.string())),
  'owner-i-d': z.optional(z.array(z.number())),
});
export type Input = z.infer<typeof Input>;

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
    summary: 'Change an input; what is left out stays, secrets too.',
    body: z.object({ id: z.int('number'), name: z.optional(SourceName), config: z.optional(InputConfig) }),
    answer: z.object({}),
  }),
  del: post('/api/input/source/del', {
    scope: 'ioEdit',
    summary: 'Delete inputs; `force` also deletes what a channel uses.',
    body: z.object({ id: Ids, force: z.optional(z.boolean()) }),
    answer: z.object({}),
  }),
};
