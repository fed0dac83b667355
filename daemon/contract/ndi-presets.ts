/** Presets of NDI sources: descriptions that are stored by name, to fill inputs of the router from. */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { NdiPresetFields } from './ndi-router-fields.ts';
import { Ids, listOf, Paging } from './rules.ts';

export const NdiPreset = z.object({ id: z.int(), ...NdiPresetFields });
export type NdiPreset = z.infer<typeof NdiPreset>;

const needs = 'ndiRouter';

export const ndiPresetApi = endpoints(calls.ndiPresets, {
  list: {
    summary: 'List the presets of NDI sources by name.',
    needs,
    query: z.object(Paging),
    response: listOf(NdiPreset),
  },
  save: {
    summary: 'Store a source as a preset. 1003 if there is one of this name; `replace` overwrites it.',
    needs,
    body: z.object({ ...NdiPresetFields, replace: z.optional(z.boolean()) }),
    response: z.object({ id: z.int() }),
  },
  del: { summary: 'Delete presets; inputs that were filled from them stay.', needs, body: z.object({ id: Ids }) },
});
