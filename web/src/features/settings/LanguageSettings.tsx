import { Trans, useLingui } from '@lingui/react/macro';
import { SegmentedControl } from '@mantine/core';
import { SettingsGroup } from './SettingsGroup.tsx';
import { type SettingsProps, useSettingsGroup } from './useSettingsGroup.ts';

export function LanguageSettings({ settings }: SettingsProps) {
  const { t } = useLingui();
  const group = useSettingsGroup({
    settings,
    group: 'language',
    valuesOf: ({ language }) => ({ language }),
    toChange: ({ language }) => ({ language }),
    paths: { language: 'language' },
  });
  return (
    <SettingsGroup
      group={group}
      title={<Trans>Language</Trans>}
      intro={<Trans>The default language of the console, for browsers where no language has been chosen.</Trans>}
    >
      <SegmentedControl
        aria-label={t`Language`}
        data={[
          { value: 'auto', label: t`Browser language` },
          { value: 'en', label: 'English' },
          { value: 'zh', label: '中文' },
        ]}
        {...group.form.getInputProps('language')}
      />
    </SettingsGroup>
  );
}
