import { Trans, useLingui } from '@lingui/react/macro';
import { NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import { joinableSecurities, needsKey } from '../../../../daemon/contract/wifi-fields.ts';
import { followTrial } from '../../shared/confirmed-change/follow-trial.ts';
import type { Confirmation, ToConfirm } from '../../shared/confirmed-change/risk.ts';
import { FormDialog } from '../../shared/editing/DialogForm.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { useSchemaForm } from '../../ui/form/useSchemaForm.ts';
import { joinWifi } from './wifi-calls.ts';
import { checkJoin, type JoinValues, joinBody, joinValues } from './wifi-form.ts';
import { securityTexts, ssidText, type WifiRow } from './wifi-look.ts';

interface WifiJoinDialogProps {
  /** Undefined for one whose name is not announced. */
  readonly network: WifiRow | undefined;
  /** Called instead of joining at once if the user is connected through the network that the hub leaves. */
  readonly onRisk: ((name: string, apply: (confirmation: Confirmation) => Promise<ToConfirm>) => void) | undefined;
  readonly onClose: () => void;
}

export default function WifiJoinDialog({ network, onRisk, onClose }: WifiJoinDialogProps) {
  const { t, i18n } = useLingui();
  const fields = useSchemaForm<JoinValues>({
    initial: joinValues(network),
    check: (values) => checkJoin(values, network),
  });
  const { form } = fields;
  const isProtected = needsKey(form.values.security);
  const save = async (values: JoinValues) => {
    const joined = ssidText(network?.ssid ?? values.ssid);
    const body = joinBody(values, network);
    if (onRisk !== undefined) return onRisk(joined, (confirmation) => joinWifi({ ...body, ...confirmation }));
    if (followTrial('wifi', await joinWifi(body))) showToast('success', t`The hub has joined “${joined}”.`);
  };
  const name = network && ssidText(network.ssid);
  return (
    <FormDialog
      title={name === undefined ? t`Join a hidden network` : t`Join “${name}”`}
      fields={fields}
      save={save}
      verb={<Trans>Join</Trans>}
      onClose={onClose}
    >
      {network === undefined && (
        <>
          <TextInput
            label={t`Network name (SSID)`}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            {...form.getInputProps('ssid')}
          />
          <NativeSelect
            label={t`Security`}
            data={joinableSecurities.map((value) => ({ value, label: i18n._(securityTexts[value]) }))}
            {...form.getInputProps('security')}
          />
        </>
      )}
      {isProtected && (
        <PasswordInput
          label={t`Key`}
          description={t`8 to 63 characters, or 64 hexadecimal digits.`}
          autoComplete="off"
          spellCheck={false}
          visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the key` }}
          visibilityToggleFocusable
          {...(network !== undefined && { 'data-autofocus': true })}
          {...form.getInputProps('key')}
        />
      )}
      {form.values.security === 'open' && (
        <Banner tone="warn" title={<Trans>This network is not encrypted</Trans>}>
          <Trans>Everyone near it can read what the hub sends without encryption.</Trans>
        </Banner>
      )}
      {/* Faults of a network that is chosen have no field. */}
      {network !== undefined && form.errors.ssid && <Banner tone="fault" title={form.errors.ssid} />}
    </FormDialog>
  );
}
