import { useLingui } from '@lingui/react/macro';
import { TextInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { limits } from '../../../../daemon/contract/limits.ts';
import { ndiPresetApi, ndiSourceApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { useHas, useMay } from '../../api/session.ts';

const query = { count: limits.page.max };
const newestMs = 5000;

interface NdiSourceNameProps {
  readonly value: GetInputPropsReturnType;
  /** Called with the preset whose source was chosen. */
  readonly onPreset: (preset: ChosenPreset) => void;
}
export type ChosenPreset = Awaited<ReturnType<typeof listPresets>>[number];

const listPresets = async (signal: AbortSignal) => (await call(ndiPresetApi.list, { query, signal })).list;

/** The name of a source; the router's sources on the network and its presets are offered. */
export function NdiSourceName({ value, onPreset }: NdiSourceNameProps) {
  const { t } = useLingui();
  const id = useId();
  const [routes, mayView] = [useHas('ndiRouter'), useMay('ndiView')];
  const enabled = routes && mayView;
  const { data: sources = [] } = useQuery({
    queryKey: ['ndi', 'offered-sources'],
    queryFn: async ({ signal }) => (await call(ndiSourceApi.list, { query, signal })).list,
    refetchInterval: newestMs,
    enabled,
  });
  const { data: presets = [] } = useQuery({
    queryKey: ['ndi', 'presets'],
    queryFn: ({ signal }) => listPresets(signal),
    enabled,
  });
  const stored = presets.filter(({ source }) => !sources.some(({ name }) => name === source));
  const choose = (name: string) => {
    const preset = presets.find(({ source }) => source === name);
    if (preset) onPreset(preset);
  };
  return (
    <>
      <TextInput
        label={t`Source name`}
        placeholder="STUDIO (Camera 1)"
        spellCheck={false}
        autoComplete="off"
        list={id}
        {...value}
        onChange={(event) => {
          value.onChange(event);
          choose(event.currentTarget.value);
        }}
      />
      <datalist id={id}>
        {sources.map(({ name }) => (
          <option key={name} value={name} />
        ))}
        {stored.map(({ name, source }) => (
          <option key={name} value={source} label={name} />
        ))}
      </datalist>
    </>
  );
}
