/** Fields of the NDI router, which forms of the console check, too. */
import * as z from 'zod/mini';
import { limits } from './limits.ts';
import { GroupNames, NdiAddress } from './ndi.ts';
import { oneLine } from './one-line.ts';
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
/** The part of the name on the network that follows the base name, in parentheses. */
export const NdiOutputName = SourceName;
/** Name in the console and on panels; not part of a name on the network. */
export const NdiLabel = z.string().check(
  composed,
  z.regex(visible, 'characters'),
  z.regex(oneLine, 'characters'),
  z.refine((text) => text === text.trim(), 'outerSpace'),
  z.refine((text) => countedLength(text) <= ndiRouter.label, {
    ...{ error: 'tooLong', params: { max: ndiRouter.label, wide: 3 } },
  }),
  z.meta({ maxLength: ndiRouter.label, rule: 'A character beyond ASCII counts as 3. No space at either end.' }),
);
/** A source by its exact name on the network, `MACHINE (source)`. */
export const NdiSourceName = NdiAddress.shape.name;
export const NdiGroups = GroupNames;
export const SalvoName = SourceName;
/** Numbers of inputs and outputs, from 1. The number of an input never changes. */
export const InputNumber = whole({ min: 1, max: ndiRouter.inputs.max });
export const OutputNumber = whole({ min: 1, max: ndiRouter.outputs.max });

/** An input of the matrix. */
export const NdiInputFields = {
  label: NdiLabel,
  /** Null: the input is empty. */
  source: z.nullable(NdiSourceName),
  /** The group of the source; '' for the public group. Only for information: the runtime finds sources by name. */
  group: NdiGroups,
  /** Address of the source, only for information; '' if unknown. */
  address: z.union([z.literal(''), Host]),
  /** The backup input, whose source replaces that of this input while it is offline; null for none. */
  failover: z.nullable(InputNumber),
};

export const NdiOutputFields = {
  /** Unique among the outputs. */
  name: NdiOutputName,
  label: NdiLabel,
  /** The groups in which the output is visible; '' for the public group. */
  group: NdiGroups,
  /** Whether failover may switch the output while it is locked. */
  'failover-when-locked': z.boolean(),
};

export const NdiRouterFields = {
  'base-name': NdiBaseName,
  /** Number of inputs. */
  inputs: whole(ndiRouter.inputs),
  /** The highest number of an output. */
  outputs: whole(ndiRouter.outputs),
  /** Whether a new source on the network gets the next free input. */
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
