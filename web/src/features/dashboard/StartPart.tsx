import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { RestartablePart } from '../../../../daemon/contract/system-parts.ts';
import { systemApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { faultText } from '../../i18n/result-text.ts';
import { showToast } from '../../ui/feedback/toasts.ts';

/** Starts a process of the hub now instead of after its waiting time. */
export default function StartPart({ name }: { name: RestartablePart }) {
  const { i18n } = useLingui();
  const { mutate, isPending } = useMutation({
    mutationFn: () => call(systemApi.restartPart, { body: { name, 'unless-running': true } }),
    onError: (error) => showToast('error', faultText(i18n, error), 'restart-part'),
  });
  return (
    <Button display="block" size="xs" variant="default" mt="xs" loading={isPending} onClick={() => mutate()}>
      <Trans>Start now</Trans>
    </Button>
  );
}
