/** The router, its inputs, outputs, sources and salvos, kept current by their topics; and the presets of sources. */
import { queryOptions, useSuspenseQueries, useSuspenseQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { limits } from '../../../../daemon/contract/limits.ts';
import type { NdiInput, NdiOutput, NdiSalvo, NdiSource } from '../../../../daemon/contract/ndi-router.ts';
import { ndiPresetApi, ndiRouterApi, ndiSalvoApi, ndiSourceApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { defineTopic, useTopic } from '../../api/live.ts';
import { createKeyedListKeeper, createListKeeper, sharedItems } from '../../api/object-list.ts';
import { changing, queryClient } from '../../api/query-client.ts';
import { ndiPresetsQuery } from '../../shared/sources/ndi-presets-query.ts';

const keys = {
  router: ['ndi', 'router'],
  inputs: ['ndi', 'inputs'],
  outputs: ['ndi', 'outputs'],
  sources: ['ndi', 'sources'],
  salvos: ['ndi', 'salvos'],
} as const;

for (const key of [keys.inputs, keys.outputs, keys.sources]) {
  queryClient.setQueryDefaults(key, { structuralSharing: sharedItems });
}

type Whole = Awaited<ReturnType<typeof getWhole>>;
const getWhole = () => call(ndiRouterApi.get);
let asked: Promise<Whole> | undefined;

/** One call returns all three parts, which are queried at the same time. */
function whole(): Promise<Whole> {
  asked ??= getWhole().finally(() => {
    asked = undefined;
  });
  return asked;
}

const kept = { staleTime: Number.POSITIVE_INFINITY };
export const routerQuery = queryOptions({
  queryKey: keys.router,
  queryFn: async () => (await whole()).router,
  ...kept,
});
export const inputsQuery = queryOptions({
  queryKey: keys.inputs,
  queryFn: async () => (await whole()).inputs,
  ...kept,
});
export const outputsQuery = queryOptions({
  queryKey: keys.outputs,
  queryFn: async () => (await whole()).outputs,
  ...kept,
});
export const sourcesQuery = queryOptions({
  queryKey: keys.sources,
  queryFn: async ({ signal }) => (await call(ndiSourceApi.list, { query: { count: limits.page.max }, signal })).list,
  ...kept,
});
export const salvosQuery = queryOptions({
  queryKey: keys.salvos,
  queryFn: async ({ signal }) => (await call(ndiSalvoApi.list, { query: { count: limits.page.max }, signal })).list,
  ...kept,
});

const routerTopic = defineTopic('ndi-router', (_kind, { changed: [router] }) => {
  if (router) queryClient.setQueryData(keys.router, router);
});
const [keepInputs, keepOutputs, keepSalvos] = [
  createListKeeper<NdiInput>(),
  createListKeeper<NdiOutput>(),
  createListKeeper<NdiSalvo>(),
];
const byNumber = <T extends { readonly id: number }>(list: T[] | undefined) => list?.toSorted((a, b) => a.id - b.id);
const inputsTopic = defineTopic('ndi-inputs', (kind, event) => {
  queryClient.setQueryData<NdiInput[]>(keys.inputs, (before) => byNumber(keepInputs(before, kind, event)));
});
const outputsTopic = defineTopic('ndi-outputs', (kind, event) => {
  queryClient.setQueryData<NdiOutput[]>(keys.outputs, (before) => byNumber(keepOutputs(before, kind, event)));
});
const keepSources = createKeyedListKeeper<NdiSource, string>(({ name }) => name);
const sourcesTopic = defineTopic('ndi-sources', (kind, event) => {
  queryClient.setQueryData<NdiSource[]>(keys.sources, (before) =>
    keepSources(before, kind, event)?.toSorted((a, b) => a.name.localeCompare(b.name)),
  );
});
const salvosTopic = defineTopic('ndi-salvos', (kind, event) => {
  queryClient.setQueryData<NdiSalvo[]>(keys.salvos, (before) => keepSalvos(before, kind, event));
});

/** Router, inputs and outputs, kept current while the component is mounted. */
export function useRouter() {
  useTopic(routerTopic, true);
  useTopic(inputsTopic, true);
  useTopic(outputsTopic, true);
  const [{ data: router }, { data: inputs }, { data: outputs }] = useSuspenseQueries({
    queries: [routerQuery, inputsQuery, outputsQuery],
  });
  const inputsById = useMemo(() => new Map(inputs.map((input) => [input.id, input])), [inputs]);
  const outputsById = useMemo(() => new Map(outputs.map((output) => [output.id, output])), [outputs]);
  return useMemo(() => ({ router, inputs: inputsById, outputs: outputsById }), [router, inputsById, outputsById]);
}
export type Router = ReturnType<typeof useRouter>;

export function useSources() {
  useTopic(sourcesTopic, true);
  const [{ data }] = useSuspenseQueries({ queries: [sourcesQuery] });
  return data;
}

export function useSalvos() {
  useTopic(salvosTopic, true);
  const [{ data }] = useSuspenseQueries({ queries: [salvosQuery] });
  return data;
}

export const usePresets = () => useSuspenseQuery(ndiPresetsQuery).data;

export const changeRouter = changing(ndiRouterApi.set, 'ndi');
export const changeInput = changing(ndiRouterApi.setInput, 'ndi');
export const addOutput = changing(ndiRouterApi.addOutput, 'ndi');
export const changeOutput = changing(ndiRouterApi.setOutput, 'ndi');
export const deleteOutputs = changing(ndiRouterApi.delOutput, 'ndi');
export const lockOutputs = changing(ndiRouterApi.lock, 'ndi');
export const addSalvo = changing(ndiSalvoApi.add, 'ndi');
export const changeSalvo = changing(ndiSalvoApi.set, 'ndi');
export const deleteSalvos = changing(ndiSalvoApi.del, 'ndi');
export const captureSalvo = changing(ndiSalvoApi.capture, 'ndi');
export const savePreset = changing(ndiPresetApi.save, 'ndi');
export const deletePresets = changing(ndiPresetApi.del, 'ndi');
