import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconEye, IconEyeOff, IconRefresh } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { faultText } from '../../../i18n/result-text.ts';
import { CopyLine } from '../../../ui/data/CopyLine.tsx';
import { showToast } from '../../../ui/feedback/toasts.ts';
import { confirm } from '../../../ui/overlay/confirm.ts';
import { renewPushKey, revealPushKey } from '../device-calls.ts';
import styles from './ConnectionDialog.module.css';

const hidden = '••••••••';

/** The key that the hub gave the device. It is hidden until the hub has recorded who looks at it. */
export function PushKey({ device }: { device: Device }) {
  const { t, i18n } = useLingui();
  const { sn, name } = device;
  const key = device['push-key'];
  const [shown, setShown] = useState<string>();
  const reveal = useMutation({
    mutationFn: () => revealPushKey({ sn }),
    onError: (error) => showToast('error', faultText(i18n, error)),
  });
  if (key === undefined) return null;
  // A renewed key is hidden again.
  const isShown = shown === key;
  const renew = () =>
    confirm({
      title: t`Renew the push key of “${name}”?`,
      consequence: t`The current key no longer works. If the device is online and sends to a channel, the hub gives it the new key, which interrupts its stream.`,
      verb: t`Renew push key`,
      isDangerous: true,
      run: () => renewPushKey({ sn }),
      done: t`“${name}” has a new push key.`,
    });
  const Eye = isShown ? IconEyeOff : IconEye;
  return (
    <fieldset className={styles.side}>
      <legend>
        <Trans>Push key</Trans>
      </legend>
      <p className={styles.note}>
        <Trans>The hub enters this key on the device by itself. You only need it to set up a device by hand.</Trans>
      </p>
      <div className={styles.key}>
        <CopyLine
          label={t`Key`}
          name={t`Push key`}
          text={key}
          shown={isShown ? key : hidden}
          onCopy={() => reveal.mutate()}
        />
        <div className={styles.buttons}>
          <Button
            size="compact-sm"
            variant="default"
            aria-pressed={isShown}
            loading={reveal.isPending}
            leftSection={<Eye size={15} stroke={1.7} aria-hidden />}
            onClick={() =>
              isShown ? setShown(undefined) : reveal.mutate(undefined, { onSuccess: () => setShown(key) })
            }
          >
            {isShown ? <Trans>Hide the key</Trans> : <Trans>Show the key</Trans>}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconRefresh size={15} stroke={1.7} aria-hidden />}
            onClick={renew}
          >
            <Trans>Renew</Trans>
          </Button>
        </div>
      </div>
    </fieldset>
  );
}
