import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { settingsApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { useMay } from '../../api/session.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { isServedAt, type WebPorts } from './console-move.ts';
import { settingsQuery } from './settings-query.ts';

interface UnconfirmedMoveProps {
  /** Until when the move must be confirmed, in milliseconds since 1970. */
  readonly deadline: number;
  readonly ports: WebPorts;
}

/** A change of ports or certificate that the hub reverts unless a page of the console confirms it. */
export function UnconfirmedMove({ deadline, ports }: UnconfirmedMoveProps) {
  const { t } = useLingui();
  const mayEdit = useMay('systemEdit');
  const client = useQueryClient();
  const { mutate, isPending, isIdle } = useMutation({
    mutationFn: () => call(settingsApi.confirm, { body: { group: 'web' } }),
    onSuccess: () => showToast('success', t`The console stays at this address.`, 'settings'),
    onSettled: () => client.invalidateQueries({ queryKey: settingsQuery.queryKey }),
  });
  const isProof = mayEdit && isServedAt(location, ports);
  useEffect(() => {
    if (isProof && isIdle) mutate();
  }, [isProof, isIdle, mutate]);
  const until = useFormat().clock(deadline);
  return (
    <Banner tone="warn" title={<Trans>The change of the console’s ports or certificate is not confirmed yet</Trans>}>
      <Trans>Unless confirmed by {until}, the hub returns to the previous settings.</Trans>
      {mayEdit && (
        <Button display="block" size="xs" variant="default" mt="xs" loading={isPending} onClick={() => mutate()}>
          <Trans>Keep the change</Trans>
        </Button>
      )}
    </Banner>
  );
}
