import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox } from '@mantine/core';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { SettingsGroup } from './SettingsGroup.tsx';
import { type SettingsProps, useSettingsGroup } from './useSettingsGroup.ts';

export function SignInSettings({ settings }: SettingsProps) {
  const { t } = useLingui();
  const group = useSettingsGroup({
    settings,
    group: 'sign-in',
    valuesOf: ({ 'sign-in': signIn }) => ({ md5: signIn['allow-md5'] }),
    toChange: ({ md5 }) => ({ 'sign-in': { 'allow-md5': md5 } }),
    paths: { md5: 'sign-in.allow-md5' },
  });
  const { form } = group;
  return (
    <SettingsGroup
      group={group}
      title={<Trans>Sign-in</Trans>}
      intro={
        <Trans>
          Scripts that use the published API send the MD5 of a password. Anyone who captures it on the network can sign
          in with it. The console does not need it.
        </Trans>
      }
      effect={
        !form.values.md5 && (
          <Banner tone="warn" title={<Trans>Scripts that send an MD5 are refused</Trans>}>
            <Trans>They can send the password itself over HTTPS, or use an access token.</Trans>
          </Banner>
        )
      }
    >
      <Checkbox label={t`Accept an MD5 instead of the password`} {...form.getInputProps('md5', { type: 'checkbox' })} />
    </SettingsGroup>
  );
}
