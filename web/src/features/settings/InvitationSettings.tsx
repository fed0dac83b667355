import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Checkbox } from '@mantine/core';
import { useState } from 'react';
import { settingsApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { useMay } from '../../api/session.ts';
import { SecretInput } from '../../ui/form/SecretInput.tsx';
import styles from './GeneralSettingsPage.module.css';
import { SettingsGroup } from './SettingsGroup.tsx';
import { type SettingsProps, useSettingsGroup } from './useSettingsGroup.ts';

export function InvitationSettings({ settings }: SettingsProps) {
  const { t } = useLingui();
  const mayEdit = useMay('systemEdit');
  /** A new code is visible right away, so the field remounts without the mask. */
  const [isNew, setNew] = useState(false);
  const group = useSettingsGroup({
    settings,
    group: 'security',
    valuesOf: ({ security }) => ({ needed: security['enable-code'], code: security['code-value'] ?? '' }),
    toChange: ({ needed, code }) => ({ security: { 'enable-code': needed, 'code-value': code.trim() } }),
    paths: { needed: 'security.enable-code', code: 'security.code-value' },
  });
  const { form } = group;
  return (
    <SettingsGroup
      group={group}
      title={<Trans>Invitation code</Trans>}
      intro={<Trans>Devices must send this code to join.</Trans>}
    >
      <Checkbox label={t`Devices need the code`} {...form.getInputProps('needed', { type: 'checkbox' })} />
      <div className={styles.halves}>
        <SecretInput
          key={String(isNew)}
          label={t`Four-digit code`}
          inputMode="numeric"
          maxLength={4}
          toggle={t`Show or hide the code`}
          reveal={mayEdit && !isNew ? () => call(settingsApi.revealCode, { body: {} }) : undefined}
          {...(settings.security['code-value-set'] && {
            placeholder: '••••',
            inputWrapperOrder: ['label', 'input', 'description', 'error'] as const,
            description: t`Only visible to users who may change the settings`,
          })}
          disabled={!form.values.needed}
          {...form.getInputProps('code')}
        />
        <Button
          variant="default"
          className={styles.besideField}
          disabled={!form.values.needed}
          onClick={() => {
            setNew(true);
            form.setFieldValue('code', randomCode());
          }}
        >
          <Trans>New code</Trans>
        </Button>
      </div>
    </SettingsGroup>
  );
}

/** All ten thousand codes are equally likely. */
function randomCode(): string {
  const max = 2 ** 32 - (2 ** 32 % 10_000);
  for (;;) {
    const [value = 0] = crypto.getRandomValues(new Uint32Array(1));
    if (value < max) return String(value % 10_000).padStart(4, '0');
  }
}
