import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { settingsApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { useMay } from '../../api/session.ts';
import { settingsQuery } from '../../shared/system/settings-query.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { isServedAt, type WebPorts } from './console-move.ts';

interface UnconfirmedMoveProps {
  /** Until when the move must be confirmed, in milliseconds since 1970. */
  readonly deadline: number;
  readonly ports: WebPorts;
}

/** A move of the console that the hub reverts unless it is confirmed. A page at the new address confirms it. */
export function UnconfirmedMove({ deadline, ports }: UnconfirmedMoveProps) {
  const { t, i18n } = useLingui();
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
  const until = i18n.date(new Date(deadline), { timeStyle: 'medium' });
  return (
    <Banner tone="warn" title={<Trans>The new address of the console is not confirmed yet</Trans>}>
      <Trans>Unless confirmed by {until}, the hub returns to the previous address.</Trans>
      {mayEdit && (
        <Button display="block" size="xs" variant="default" mt="xs" loading={isPending} onClick={() => mutate()}>
          <Trans>Keep the new address</Trans>
        </Button>
      )}
    </Banner>
  );
}
