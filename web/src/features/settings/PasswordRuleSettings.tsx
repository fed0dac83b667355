import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, TextInput } from '@mantine/core';
import { limits } from '../../../../daemon/contract/limits.ts';
import { asksForMore, type PasswordRule, withLeastLength } from '../../../../daemon/contract/password-rule.ts';
import type { Settings } from '../../../../daemon/contract/settings.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { numberOf } from '../../ui/form/schema-form.ts';
import styles from './GeneralSettingsPage.module.css';
import { SettingsGroup } from './SettingsGroup.tsx';
import { type SettingsProps, useSettingsGroup } from './useSettingsGroup.ts';

export function PasswordRuleSettings({ settings }: SettingsProps) {
  const { t } = useLingui();
  const group = useSettingsGroup({
    settings,
    group: 'pwd-rule',
    valuesOf,
    toChange: (values) => ({ 'pwd-rule': ruleOf(values) }),
    check: ({ length }) => (numberOf(length) < limits.password.min ? { length: `atLeast:${limits.password.min}` } : {}),
    paths: {
      name: 'pwd-rule.chk-name',
      length: 'pwd-rule.length',
      lowercase: 'pwd-rule.lowercase',
      uppercase: 'pwd-rule.uppercase',
      number: 'pwd-rule.number',
      special: 'pwd-rule.special',
    },
  });
  const { form } = group;
  const field = (name: 'length' | 'lowercase' | 'uppercase' | 'number' | 'special', label: string) => (
    <TextInput label={label} inputMode="numeric" {...form.getInputProps(name)} />
  );
  return (
    <SettingsGroup
      group={group}
      title={<Trans>Password rule</Trans>}
      intro={
        <Trans>
          Minimum number of each in a new password; 0 means no minimum. Common passwords are always refused. Existing
          passwords are not affected.
        </Trans>
      }
      effect={
        asksForMore(ruleOf(form.values)) && (
          <Banner tone="info" title={<Trans>Scripts have to send passwords in clear text</Trans>}>
            <Trans>
              The rule can't be checked against an MD5. API calls that set a password by its MD5 are refused.
            </Trans>
          </Banner>
        )
      }
    >
      <div className={styles.halves}>
        {field('length', t`Characters`)}
        {field('lowercase', t`Lowercase letters`)}
        {field('uppercase', t`Uppercase letters`)}
        {field('number', t`Digits`)}
        {field('special', t`Special characters`)}
      </div>
      <Checkbox label={t`Does not contain the username`} {...form.getInputProps('name', { type: 'checkbox' })} />
    </SettingsGroup>
  );
}

function valuesOf({ 'pwd-rule': rule }: Settings) {
  return {
    name: rule['chk-name'] === 1,
    length: String(withLeastLength(rule).length),
    lowercase: String(rule.lowercase),
    uppercase: String(rule.uppercase),
    number: String(rule.number),
    special: String(rule.special),
  };
}

function ruleOf(values: ReturnType<typeof valuesOf>): PasswordRule {
  const { name, length, lowercase, uppercase, number, special } = values;
  return {
    ...{ length: numberOf(length), lowercase: numberOf(lowercase), uppercase: numberOf(uppercase) },
    ...{ number: numberOf(number), special: numberOf(special), 'chk-name': name ? 1 : 0 },
  };
}
