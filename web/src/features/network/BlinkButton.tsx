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

/** The hub answers when the lights have blinked for ten seconds. */
const blinkMs = 20_000;

/** Shows at the machine which socket the port is. */
export function BlinkButton({ port: { port, driver } }: { port: NetworkPort }) {
  const { t } = useLingui();
  const name = portName(port);
  const [isDark, setDark] = useState(false);
  const blink = useMutation({
    mutationFn: () => call(networkApi.identify, { body: { port }, timeoutMs: blinkMs }),
    // Nothing tells before the first attempt whether a driver can do it.
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

/** A missing part, which could be installed, has the same result. */
function isUnsupported(error: unknown): boolean {
  return faultOf(error) === 'unsupported' && error instanceof CallError && error.params.part === undefined;
}
