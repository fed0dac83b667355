import type { I18n } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, PasswordInput } from '@mantine/core';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { WebhookSettings as WebhookBody } from '../../../../daemon/contract/alarm-fields.ts';
import type { Webhook, WebhookAttempt } from '../../../../daemon/contract/alarms.ts';
import { alarmApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { useMay } from '../../api/session.ts';
import { reasonText } from '../../i18n/reason-text.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import { SecretInput } from '../../ui/form/SecretInput.tsx';
import { type FieldFaults, faultsOf } from '../../ui/form/schema-form.ts';
import { useEditedForm } from '../../ui/form/useEditedForm.ts';
import { Delivery, refreshMs } from './Delivery.tsx';
import { SettingsGroup } from './SettingsGroup.tsx';

const webhookQuery = queryOptions({
  queryKey: ['alarms', 'webhook'],
  queryFn: ({ signal }) => call(alarmApi.webhook, { signal }),
  refetchInterval: refreshMs,
});
const test = () => call(alarmApi.testWebhook, { body: {} });

interface Values {
  readonly enabled: boolean;
  readonly url: string;
  readonly secret: string;
}

/** Alarm webhook settings and the outcome of the last delivery. */
export function WebhookSettings() {
  const webhook = useQuery(webhookQuery).data;
  return webhook === undefined ? null : <WebhookForm webhook={webhook} />;
}

function WebhookForm({ webhook }: { webhook: Webhook }) {
  const { t, i18n } = useLingui();
  const mayEdit = useMay('systemEdit');
  const { form, onSubmit, place, edit } = useEditedForm<Webhook, Values>({
    ...{ now: webhook, revision: webhook.revision, queryKey: webhookQuery.queryKey },
    ...{ valuesOf: (base) => valuesOf(base ?? webhook), check },
  });
  const save = useMutation<number, unknown, Values>({
    mutationFn: async (values) => {
      const { revision } = await call(alarmApi.setWebhook, { body: { ...bodyOf(values), revision: edit.basis() } });
      return revision;
    },
    onSuccess(revision) {
      showToast('success', t`The settings were saved.`, 'settings');
      // Clears the secret from the form; the hub never sends the stored one back.
      edit.follow(revision);
    },
    onError: place,
  });
  const canTest = mayEdit && webhook.url !== '' && !form.isDirty();
  const group = { name: 'webhook', form, onSubmit, edit, save };
  return (
    <SettingsGroup
      group={group}
      title={<Trans>Alarm webhook</Trans>}
      intro={
        <Trans>
          Posts each alarm, and when it clears, as JSON to your server. With a secret, requests are signed (HMAC).
        </Trans>
      }
    >
      <Checkbox label={t`Send alarms`} {...form.getInputProps('enabled', { type: 'checkbox' })} />
      <SecretInput
        label={t`Address`}
        placeholder="https://"
        inputMode="url"
        toggle={t`Show or hide the address`}
        reveal={mayEdit && webhook.url !== '' ? () => call(alarmApi.revealWebhook, { body: {} }) : undefined}
        {...(webhook['url-path-set'] && {
          description: t`Only users who may change the settings can see the whole address`,
        })}
        {...form.getInputProps('url')}
      />
      <PasswordInput
        label={t`Secret`}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the secret` }}
        {...(webhook['secret-set'] && { placeholder: t`Unchanged when left empty` })}
        {...form.getInputProps('secret')}
      />
      <Delivery state={webhook} text={(attempt) => attemptText(i18n, attempt)} test={canTest ? test : undefined} />
    </SettingsGroup>
  );
}

/** A sentence for the outcome of a delivery. */
function attemptText(i18n: I18n, { ok, status, reason }: WebhookAttempt): string {
  if (ok) return i18n._(msg`The server accepted it.`);
  if (reason === 'redirected') return i18n._(msg`The server redirected it (${status}). Enter the new address.`);
  if (reason === 'notAccepted') return i18n._(msg`The server did not accept it (${status}).`);
  return reasonText(i18n, reason) ?? '';
}

function valuesOf({ enabled, url }: Webhook): Values {
  return { enabled, url, secret: '' };
}

function bodyOf({ enabled, url, secret }: Values) {
  return { enabled, url: url.trim(), ...(secret !== '' && { secret }) };
}

function check(values: Values): FieldFaults {
  const faults = faultsOf(WebhookBody, bodyOf(values));
  if (values.enabled && values.url.trim() === '') faults.url ??= 'required';
  return faults;
}
