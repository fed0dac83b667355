import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { SystemPart } from '../../../../daemon/contract/system.ts';
import { type RestartablePart, restartableParts } from '../../../../daemon/contract/system-parts.ts';
import { systemApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { useMay } from '../../api/session.ts';
import { partRemedy, partTitle } from '../../i18n/part-text.ts';
import { faultText } from '../../i18n/result-text.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';

/** Hub components that are not working, with the reason and the remedy. */
export function PartBanners({ parts }: { parts: readonly SystemPart[] }) {
  const { i18n } = useLingui();
  const mayEdit = useMay('systemEdit');
  return parts
    .filter((part) => !part.ok)
    .map((part) => (
      <Banner key={part.name} tone={part.reason === 'starting' ? 'info' : 'fault'} title={partTitle(i18n, part)}>
        <Remedy part={part} />
        {mayEdit && isWaiting(part) && <StartNow name={part.name} />}
      </Banner>
    ));
}

type WaitingPart = SystemPart & { readonly name: RestartablePart };

/** Whether the part is a process that waits for its next start. */
function isWaiting(part: SystemPart): part is WaitingPart {
  const isProcess = restartableParts.some((name) => name === part.name);
  return isProcess && (part.reason === 'crashed' || part.reason === 'failing');
}

function StartNow({ name }: Pick<WaitingPart, 'name'>) {
  const { i18n } = useLingui();
  const { mutate, isPending } = useMutation({
    mutationFn: () => call(systemApi.restartPart, { body: { name } }),
    onError: (error) => showToast('error', faultText(i18n, error), 'restart-part'),
  });
  return (
    <Button display="block" size="xs" variant="default" mt="xs" loading={isPending} onClick={() => mutate()}>
      <Trans>Start now</Trans>
    </Button>
  );
}

function Remedy({ part }: { part: SystemPart }) {
  const { i18n } = useLingui();
  const remedy = partRemedy(i18n, part);
  if (remedy === undefined) return part.message;
  return (
    <>
      {remedy.text}
      {remedy.detail !== undefined && <> {remedy.detail}</>}
    </>
  );
}
