import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { MailAttempt } from '../../../../daemon/contract/alarms.ts';
import type { Settings } from '../../../../daemon/contract/settings.ts';
import type { MailEncryption, SettingsChange } from '../../../../daemon/contract/settings-fields.ts';
import { alarmApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { useMay } from '../../api/session.ts';
import { reasonText } from '../../i18n/reason-text.ts';
import { type FieldFaults, numberOf } from '../../ui/form/schema-form.ts';
import { Delivery, refreshMs } from './Delivery.tsx';
import styles from './GeneralSettingsPage.module.css';
import { SettingsGroup } from './SettingsGroup.tsx';
import { type SettingsProps, useSettingsGroup } from './useSettingsGroup.ts';

const mailQuery = queryOptions({
  queryKey: ['alarms', 'mail'],
  queryFn: ({ signal }) => call(alarmApi.mail, { signal }),
  refetchInterval: refreshMs,
});
const test = () => call(alarmApi.testMail, { body: {} });

interface Values {
  readonly enabled: boolean;
  readonly host: string;
  readonly port: string;
  readonly encryption: MailEncryption;
  readonly user: string;
  readonly password: string;
  readonly from: string;
  readonly to: string;
}

const paths = {
  ...{ enabled: 'mail.enabled', host: 'mail.host', port: 'mail.port', encryption: 'mail.encryption' },
  ...{ user: 'mail.user', password: 'mail.password', from: 'mail.from', to: 'mail.to' },
};

export function MailSettings({ settings }: SettingsProps) {
  const { t, i18n } = useLingui();
  const mayEdit = useMay('systemEdit');
  const state = useQuery(mailQuery).data;
  const { mail } = settings;
  const hasPassword = mail['password-set'];
  const group = useSettingsGroup<Values>({
    ...{ settings, group: 'mail', valuesOf, toChange, paths },
    check: (values) => check(values, hasPassword),
  });
  const { form } = group;
  const isComplete = mail.host !== '' && mail.from !== '' && mail.to.length > 0;
  return (
    <SettingsGroup
      group={group}
      title={<Trans>Alarm mail</Trans>}
      intro={
        <Trans>
          Sends a mail for each alarm that is not muted, and when it clears. Alarms within a minute are combined into
          one mail, in the hub's language.
        </Trans>
      }
    >
      <Checkbox label={t`Send mails`} {...form.getInputProps('enabled', { type: 'checkbox' })} />
      <div className={styles.halves}>
        <TextInput label={t`Mail server`} placeholder="smtp.example.com" {...form.getInputProps('host')} />
        <TextInput label={t`Port`} inputMode="numeric" {...form.getInputProps('port')} />
      </div>
      <NativeSelect
        label={t`Encryption`}
        data={[
          { value: 'starttls', label: t`STARTTLS, usually port 587` },
          { value: 'tls', label: t`TLS, usually port 465` },
          { value: 'none', label: t`None, usually port 25` },
        ]}
        {...(form.values.encryption === 'none' && {
          description: t`Password and mails cross the network unencrypted`,
        })}
        {...form.getInputProps('encryption')}
      />
      <div className={styles.halves}>
        <TextInput label={t`User`} autoComplete="off" {...form.getInputProps('user')} />
        <PasswordInput
          label={t`Password`}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the password` }}
          {...(hasPassword && { placeholder: t`Unchanged` })}
          {...form.getInputProps('password')}
        />
      </div>
      <TextInput label={t`Sender`} inputMode="email" {...form.getInputProps('from')} />
      <TextInput
        label={t`Recipients`}
        description={t`Up to 16 addresses, separated by commas`}
        inputMode="email"
        {...form.getInputProps('to')}
      />
      <Delivery
        state={state}
        text={(attempt) => attemptText(i18n, attempt)}
        test={mayEdit && isComplete && !form.isDirty() ? test : undefined}
      />
    </SettingsGroup>
  );
}

/** Those of other connections are in `reason-text.ts`. */
const reasons: Readonly<Record<string, MessageDescriptor>> = {
  tlsFailed: msg`The server offers no such encryption, or its certificate is not trusted.`,
  authRefused: msg`The server refused the username or password.`,
  senderRefused: msg`The server refused the sender.`,
  notAccepted: msg`The server did not accept the mail.`,
};

/** A sentence for the outcome of a mail. */
function attemptText(i18n: I18n, { ok, code, reason, refused = [] }: MailAttempt): string {
  if (ok) return i18n._(msg`The server accepted it.`);
  const known = reason === undefined ? undefined : reasons[reason];
  const list = refused.join(', ');
  const text =
    reason === 'recipientRefused'
      ? i18n._(msg`The server refused these recipients: ${list}`)
      : known === undefined
        ? (reasonText(i18n, reason) ?? '')
        : i18n._(known);
  return code === 0 ? text : i18n._(msg`${text} (answer ${code})`);
}

function valuesOf({ mail }: Settings): Values {
  const { enabled, host, port, encryption, user, from, to } = mail;
  return { enabled, host, port: String(port), encryption, user, password: '', from, to: to.join(', ') };
}

function toChange({ enabled, host, port, encryption, user, password, from, to }: Values): SettingsChange {
  const addresses = to.split(/[\s,;]+/).filter((address) => address !== '');
  return {
    mail: {
      ...{ enabled, host: host.trim(), port: numberOf(port), encryption, user: user.trim() },
      ...{ from: from.trim(), to: addresses },
      // A blank password is omitted, so the hub keeps the stored one.
      ...(password !== '' && { password }),
    },
  };
}

/** What switched-on mails need. */
function check({ enabled, host, user, password, from, to }: Values, hasPassword: boolean): FieldFaults {
  const faults: FieldFaults = {};
  if (user.trim() === '' && password !== '') faults.user = 'required';
  if (!enabled) return faults;
  if (host.trim() === '') faults.host = 'required';
  if (from.trim() === '') faults.from = 'required';
  if (to.trim() === '') faults.to = 'required';
  if (user.trim() !== '' && password === '' && !hasPassword) faults.password = 'required';
  return faults;
}
