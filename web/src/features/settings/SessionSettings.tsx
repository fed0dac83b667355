import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, TextInput } from '@mantine/core';
import { limits } from '../../../../daemon/contract/limits.ts';
import { SettingsGroup } from './SettingsGroup.tsx';
import { numberOf, type SettingsProps, useSettingsGroup } from './useSettingsGroup.ts';

const { never, default: usual } = limits.sessionMinutes;

export function SessionSettings({ settings }: SettingsProps) {
  const { t } = useLingui();
  const minutes = settings['expired-time'];
  const group = useSettingsGroup({
    initial: { never: minutes === never, minutes: String(minutes === never ? usual : minutes) },
    toChange: (values) => ({ 'expired-time': values.never ? never : numberOf(values.minutes) }),
    paths: { never: '', minutes: 'expired-time' },
  });
  const { form } = group;
  return (
    <SettingsGroup
      group={group}
      title={<Trans>Sessions</Trans>}
      intro={<Trans>How long somebody who does nothing stays signed in.</Trans>}
    >
      <Checkbox label={t`No expiration`} {...form.getInputProps('never', { type: 'checkbox' })} />
      {!form.values.never && (
        <TextInput
          label={t`Ends after`}
          inputMode="numeric"
          rightSection={t`min`}
          rightSectionWidth={52}
          {...form.getInputProps('minutes')}
        />
      )}
    </SettingsGroup>
  );
}
