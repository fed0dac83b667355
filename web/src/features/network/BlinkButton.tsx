import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconBulb } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { NetworkPort } from '../../../../daemon/contract/network.ts';
import { networkApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { CallError, faultOf } from '../../lib/call-error.ts';
import { ActFault } from '../../ui/feedback/ActFault.tsx';
import styles from './NetworkPage.module.css';
import { portName } from './port-look.ts';

/** Timeout of the call: the hub answers after the lights have blinked for ten seconds. */
const blinkMs = 20_000;

/** Makes the lights of a port blink, to identify its socket on the machine. */
export function BlinkButton({ port: { port, driver } }: { port: NetworkPort }) {
  const { t } = useLingui();
  const name = portName(port);
  const [isDark, setDark] = useState(false);
  const blink = useMutation({
    mutationFn: () => call(networkApi.identify, { body: { port }, timeoutMs: blinkMs }),
    // Only an attempt shows whether a driver supports it.
    onError: (error) => setDark(isUnsupported(error)),
  });
  return (
    <div className={styles.blink}>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconBulb size={15} aria-hidden />}
        aria-label={t`Blink the lights of ${name}`}
        loading={blink.isPending}
        disabled={isDark}
        onClick={() => blink.mutate()}
      >
        <Trans>Blink</Trans>
      </Button>
      <span className={styles.hint} role="status">
        {blink.isPending && <Trans>The lights of this socket blink for 10 seconds.</Trans>}
        {isDark && (
          <Trans>
            The driver <span translate="no">{driver}</span> cannot blink the lights.
          </Trans>
        )}
      </span>
      {blink.error !== null && !isDark && <ActFault error={blink.error} />}
    </div>
  );
}

/** Returns whether the driver does not support it. A missing part, which can be installed, has the same result name. */
function isUnsupported(error: unknown): boolean {
  return faultOf(error) === 'unsupported' && error instanceof CallError && error.params.part === undefined;
}
