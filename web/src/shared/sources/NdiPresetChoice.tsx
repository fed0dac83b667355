import { useLingui } from '@lingui/react/macro';
import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { NdiPreset } from '../../../../daemon/contract/ndi-presets.ts';

interface NdiPresetChoiceProps {
  readonly presets: readonly NdiPreset[];
  readonly onChoose: (preset: NdiPreset) => void;
}

/** Fills in a form from a preset of an NDI source; nothing if there are no presets. */
export function NdiPresetChoice({ presets, onChoose }: NdiPresetChoiceProps) {
  const { t } = useLingui();
  const [chosen, setChosen] = useState('');
  if (presets.length === 0) return null;
  const choose = (name: string) => {
    setChosen(name);
    const preset = presets.find((one) => one.name === name);
    if (preset) onChoose(preset);
  };
  return (
    <NativeSelect
      label={t`Preset`}
      description={t`Fills in the fields below.`}
      data={[{ value: '', label: t`Choose a preset` }, ...presets.map(({ name }) => name)]}
      value={chosen}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  );
}
