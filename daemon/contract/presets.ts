/** Presets: the address of an input or output, kept by name with its secrets, so that others can be made like it. */
import * as z from 'zod/mini';
import { get, post } from './endpoint.ts';
import { listOf, ShownConfig, Sorting } from './outputs.ts';
import { Ids, Paging, SourceName } from './rules.ts';
import { directions, ProtocolBit } from './streams.ts';

const Direction = z.union([z.literal(directions.input), z.literal(directions.output)]);
export type PresetDirection = z.infer<typeof Direction>;

export const Preset = z.object({
  id: z.number(),
  /** Unique among those of its direction. */
  name: z.string(),
  /** 256 of inputs, 512 of outputs. */
  dir: Direction,
  protocol: ProtocolBit,
  config: ShownConfig,
});
export type Preset = z.infer<typeof Preset>;

export const presetApi = {
  list: get('/api/preset/list', {
    scope: 'ioView',
    summary: 'Presets, of one direction when `dir` is given.',
    query: z.object({ ...Paging, ...Sorting, dir: z.optional(z.pipe(z.coerce.number(), Direction)) }),
    answer: listOf(Preset),
  }),
  save: post('/api/preset/save', {
    scope: 'ioEdit',
    summary: 'Keep the address of an input or output; one of that name is replaced with `replace` only.',
    body: z
      .object({
        name: SourceName,
        input: z.optional(z.int('number')),
        output: z.optional(z.int('number')),
        replace: z.optional(z.boolean()),
      })

      .check(
        z.refine((of) => of.input !== undefined || of.output !== undefined, { path: ['input'], error: 'required' }),
        z.refine((of) => of.input === undefined || of.output === undefined, { path: ['output'], error: 'conflict' }),
      ),
    answer: z.object({ id: z.number() }),
  }),
  del: post('/api/preset/del', {
    scope: 'ioEdit',
    summary: 'Delete presets; what was made from them stays.',
    body: z.object({ id: Ids }),
    answer: z.object({}),
  }),
  use: post('/api/preset/use', {
    scope: 'ioEdit',
    summary: 'Make an input or output of a preset; `channel` gives an output to that channel.',
    body: z.object({ id: z.int('number'), name: SourceName, channel: z.optional(z.int('number')) }),
    answer: z.object({ id: z.number() }),
  }),
};
