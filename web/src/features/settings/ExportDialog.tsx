import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Checkbox, Group, PasswordInput, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { limits } from '../../../../daemon/contract/limits.ts';
import { settingsFileApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { ruleText, ruleWith } from '../../i18n/rule-text.ts';
import { saveText } from '../../lib/save-text.ts';
import { FaultText } from '../../ui/feedback/FaultText.tsx';
import { FormFault } from '../../ui/feedback/FormFault.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { useAct } from '../../ui/form/useAct.ts';
import { Dialog } from '../../ui/overlay/Dialog.tsx';

/** The hub derives a key from the passphrase, which may take a while. */
const slowMs = 60_000;

export default function ExportDialog({ onClose }: { onClose: () => void }) {
  const { t, i18n } = useLingui();
  const [isWith, setWith] = useState(true);
  const [passphrase, setPassphrase] = useState('');
  const [repeated, setRepeated] = useState('');
  const [hasTried, setTried] = useState(false);
  const act = useAct(async (secret: string | undefined) => {
    const body = secret === undefined ? {} : { passphrase: secret };
    const { file, 'left-out': leftOut } = await call(settingsFileApi.export, { body, timeoutMs: slowMs });
    const day = new Date(file.created).toISOString().slice(0, 10);
    saveText(`${JSON.stringify(file, null, 1)}\n`, `signalbox-settings-${day}.json`, 'application/json');
    if (leftOut.length === 0) showToast('success', t`The settings were exported.`);
    else showToast('error', t`Exported without: ${leftOut.join(', ')}`);
  });
  const { min } = limits.settingsFile.passphrase;
  const fault = !isWith || passphrase.length >= min ? undefined : ruleWith('tooShort', { min });
  const differs = isWith && repeated !== passphrase;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (fault !== undefined || differs) return;
    void act.run(isWith ? passphrase : undefined).then((isDone) => {
      if (isDone) onClose();
    });
  };
  return (
    <Dialog title={t`Export settings`} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Checkbox
            label={t`Include passwords, keys and passphrases, encrypted`}
            description={t`Without them, they have to be set again on another hub.`}
            checked={isWith}
            onChange={(event) => setWith(event.currentTarget.checked)}
          />
          {isWith && (
            <>
              <PasswordInput
                label={t`Passphrase`}
                description={t`At least 8 characters. The secrets in the file cannot be read without it.`}
                value={passphrase}
                onChange={(event) => setPassphrase(event.currentTarget.value)}
                error={hasTried && fault ? ruleText(i18n, fault) : undefined}
                autoComplete="new-password"
                visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the passphrase` }}
                data-autofocus
              />
              <PasswordInput
                label={t`Repeat the passphrase`}
                value={repeated}
                onChange={(event) => setRepeated(event.currentTarget.value)}
                error={hasTried && differs ? t`The passphrases don't match` : undefined}
                autoComplete="new-password"
                visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the repeated passphrase` }}
              />
            </>
          )}
          {act.error !== undefined && (
            <FormFault>
              <FaultText error={act.error} />
            </FormFault>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              <Trans>Cancel</Trans>
            </Button>
            <Button type="submit" loading={act.isPending}>
              <Trans>Export</Trans>
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
