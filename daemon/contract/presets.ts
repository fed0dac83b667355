/** Presets: addresses of inputs or outputs that are stored by name, with their secrets, to create others from. */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { ShownConfig } from './outputs.ts';
import { Ids, IntText, listOf, Paging, Sorting, SourceName } from './rules.ts';
import { ProtocolBit } from './stream-fields.ts';
import { directions } from './streams.ts';

const Direction = z.union([z.literal(directions.input), z.literal(directions.output)]);
export type PresetDirection = z.infer<typeof Direction>;

export const Preset = z.object({
  id: z.int(),
  /** Unique per direction. */
  name: z.string(),
  /** 256 for inputs, 512 for outputs. */
  dir: Direction,
  protocol: ProtocolBit,
  config: ShownConfig,
});
export type Preset = z.infer<typeof Preset>;

export const presetApi = endpoints(calls.presets, {
  list: {
    summary: 'List presets; `dir` selects one direction.',
    query: z.object({ ...Paging, ...Sorting, dir: z.optional(z.pipe(IntText, Direction)) }),
    response: listOf(Preset),
  },
  save: {
    summary: 'Save the address of an input or output as a preset; `replace` overwrites one of the same name.',
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
        z.meta({ oneOf: [{ required: ['input'] }, { required: ['output'] }] }),
      ),
    response: z.object({ id: z.int() }),
  },
  del: {
    summary: 'Delete presets; inputs and outputs made from them are kept.',
    body: z.object({ id: Ids }),
  },
  use: {
    summary: 'Create an input or output from a preset; `channel` assigns an output to that channel.',
    body: z.object({ id: z.int('number'), name: SourceName, channel: z.optional(z.int('number')) }),
    response: z.object({ id: z.int() }),
  },
});
