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
      intro={<Trans>Of the console, for browsers in which nobody has chosen one yet.</Trans>}
    >
      <SegmentedControl
        aria-label={t`Language`}
        data={[
          { value: 'auto', label: t`That of the browser` },
          { value: 'en', label: 'English' },
          { value: 'zh', label: '中文' },
        ]}
        {...group.form.getInputProps('language')}
      />
    </SettingsGroup>
  );
}
