/** Fields of the NDI router, which forms of the console check, too. */
import * as z from 'zod/mini';
import { limits } from './limits.ts';
import { NdiAddress } from './ndi.ts';
import { composed, countedLength, Host, inWords, SourceName, visible, whole } from './rules.ts';

const { ndiRouter } = limits;

/** The first part of the names of all outputs. Letters are shown in capitals on the network. */
export const NdiBaseName = z
  .string()
  .check(
    z.minLength(1, 'required'),
    z.maxLength(ndiRouter.baseName, 'tooLong'),
    z.regex(/^[A-Za-z0-9-]*$/, 'characters'),
    inWords('Letters of ASCII, digits and hyphens.'),
  );
/** What follows the base name on the network, in brackets. */
export const NdiOutputName = SourceName;
/** What the console and panels show; not part of any name on the network. */
export const NdiLabel = z.string().check(
  composed,
  z.regex(visible, 'characters'),
  z.regex(/^[^\p{Cc}]*$/u, 'characters'),
  z.refine((text) => text === text.trim(), 'outerSpace'),
  z.refine((text) => countedLength(text) <= ndiRouter.label, {
    ...{ error: 'tooLong', params: { max: ndiRouter.label, wide: 3 } },
  }),
  z.meta({ maxLength: ndiRouter.label, rule: 'A character beyond ASCII counts as 3. No space at either end.' }),
);
/** A source by its exact name on the network, `MACHINE (source)`. */
export const NdiSourceName = NdiAddress.shape.name;
export const NdiGroups = z
  .string()
  .check(z.maxLength(limits.ndi.list, 'tooLong'), inWords('Names separated by commas.'));
export const SalvoName = SourceName;
/** Numbers of inputs and outputs, from 1. An input keeps its number, whatever happens to the others. */
export const InputNumber = whole({ min: 1, max: ndiRouter.inputs.max });
export const OutputNumber = whole({ min: 1, max: ndiRouter.outputs.max });

/** An input of the matrix. */
export const NdiInputFields = {
  label: NdiLabel,
  /** Null: the input is empty. */
  source: z.nullable(NdiSourceName),
  /** The group that the source is in; '' for the public one. For the reader: sources are found by their name. */
  group: NdiGroups,
  /** Where the source is, for the reader; '' if unknown. */
  address: z.union([z.literal(''), Host]),
  /** The input that takes its place while its source is away; null for none. */
  failover: z.nullable(InputNumber),
};

export const NdiOutputFields = {
  /** Unique among the outputs. */
  name: NdiOutputName,
  label: NdiLabel,
  /** Where the output is visible; '' for the public group. */
  group: NdiGroups,
  /** Whether failover may switch the output while it is locked. */
  'failover-when-locked': z.boolean(),
};

export const NdiRouterFields = {
  'base-name': NdiBaseName,
  /** Number of inputs. */
  inputs: whole(ndiRouter.inputs),
  /** Number of columns of outputs; outputs have numbers up to it. */
  outputs: whole(ndiRouter.outputs),
  /** Whether a source that is new on the network takes the next free input. */
  'auto-fill': z.boolean(),
};

/** A source that is stored by name, to fill inputs from. */
export const NdiPresetFields = {
  /** Unique among the presets. */
  name: SourceName,
  source: NdiSourceName,
  ...z.object({
    group: NdiGroups,
    'discovery-server': NdiAddress.shape['discovery-server'],
    'extra-ips': NdiAddress.shape['extra-ips'],
    'low-bandwidth': NdiAddress.shape['low-bandwidth'],
    alias: z.optional(NdiLabel),
  }).shape,
};
