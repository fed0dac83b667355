import { useLingui } from '@lingui/react/macro';
import { TextInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { limits } from '../../../../daemon/contract/limits.ts';
import type { NdiPreset } from '../../../../daemon/contract/ndi-presets.ts';
import { ndiRouterApi, ndiSourceApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { useHas, useMay } from '../../api/session.ts';
import { NdiPresetChoice } from './NdiPresetChoice.tsx';
import { ndiPresetsQuery } from './ndi-presets-query.ts';

const newestMs = 5000;
const noLabels: ReadonlyMap<string, string> = new Map();

interface NdiSourceNameProps {
  readonly value: GetInputPropsReturnType;
  /** Called with the preset that the user chose. */
  readonly onPreset: (preset: NdiPreset) => void;
}

/** The name of a source; those on the network are offered, with their labels in the router. Above it, the presets. */
export function NdiSourceName({ value, onPreset }: NdiSourceNameProps) {
  const { t } = useLingui();
  const id = useId();
  const [routes, mayView] = [useHas('ndiRouter'), useMay('ndiView')];
  const enabled = routes && mayView;
  const { data: sources = [] } = useQuery({
    queryKey: ['ndi', 'offered-sources'],
    queryFn: async ({ signal }) => (await call(ndiSourceApi.list, { query: { count: limits.page.max }, signal })).list,
    refetchInterval: newestMs,
    enabled,
  });
  const { data: labels = noLabels } = useQuery({ queryKey: ['ndi', 'labels'], queryFn: listLabels, enabled });
  const { data: presets = [] } = useQuery({ ...ndiPresetsQuery, enabled });
  return (
    <>
      <NdiPresetChoice presets={presets} onChoose={onPreset} />
      <TextInput
        label={t`Source name`}
        placeholder="STUDIO (Camera 1)"
        spellCheck={false}
        autoComplete="off"
        list={id}
        {...value}
      />
      <datalist id={id}>
        {sources.map(({ name }) => (
          <option key={name} value={name} label={labels.get(name)} />
        ))}
      </datalist>
    </>
  );
}

/** Labels of the router's inputs and outputs by the names of their sources. */
async function listLabels({ signal }: { readonly signal: AbortSignal }): Promise<ReadonlyMap<string, string>> {
  const { inputs, outputs } = await call(ndiRouterApi.get, { signal });
  const named = [
    ...inputs.map(({ source, label }) => [source, label] as const),
    ...outputs.map((output) => [output['full-name'], output.label] as const),
  ];
  return new Map(named.flatMap(([source, label]) => (source && label ? [[source, label]] : [])));
}
