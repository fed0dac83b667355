import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, TextInput } from '@mantine/core';
import { limits } from '../../../../daemon/contract/limits.ts';
import type { Settings } from '../../../../daemon/contract/settings.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { numberOf } from '../../ui/form/schema-form.ts';
import styles from './GeneralSettingsPage.module.css';
import { SettingsGroup } from './SettingsGroup.tsx';
import { type SettingsProps, useSettingsGroup } from './useSettingsGroup.ts';

const { never, max, default: usual } = limits.sessionMinutes;

export function SessionSettings({ settings }: SettingsProps) {
  const { t } = useLingui();
  const group = useSettingsGroup({
    settings,
    group: 'expired-time',
    valuesOf,
    toChange: (values) => ({ 'expired-time': values.never ? never : numberOf(values.minutes) }),
    paths: { never: '', minutes: 'expired-time' },
  });
  const { form } = group;
  return (
    <SettingsGroup
      group={group}
      title={<Trans>Sessions</Trans>}
      intro={
        <Trans>How long an inactive user stays signed in. Changes also apply to users who are signed in now.</Trans>
      }
      effect={
        form.values.never && (
          <Banner tone="warn" title={<Trans>Anyone at an open browser stays signed in</Trans>}>
            <Trans>Without expiration, a session ends only when the user signs out.</Trans>
          </Banner>
        )
      }
    >
      <Checkbox label={t`No expiration`} {...form.getInputProps('never', { type: 'checkbox' })} />
      {!form.values.never && (
        <div className={styles.halves}>
          <TextInput
            label={t`Timeout, 1 to ${max}`}
            inputMode="numeric"
            rightSection={t`min`}
            rightSectionWidth={52}
            {...form.getInputProps('minutes')}
          />
        </div>
      )}
    </SettingsGroup>
  );
}

function valuesOf({ 'expired-time': minutes }: Settings) {
  return { never: minutes === never, minutes: String(minutes === never ? usual : minutes) };
}
