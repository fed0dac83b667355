import { useLingui } from '@lingui/react/macro';
import type { SystemPart } from '../../../../daemon/contract/system.ts';
import { type RestartablePart, restartableParts } from '../../../../daemon/contract/system-parts.ts';
import { useMay } from '../../api/session.ts';
import { partRemedy, partTitle } from '../../i18n/part-text.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';

const StartPart = deferredPart(() => import('./StartPart.tsx'));

/** Hub components that are not working, with the reason and the remedy. */
export default function PartBanners({ parts }: { parts: readonly SystemPart[] }) {
  const { i18n } = useLingui();
  const mayEdit = useMay('systemEdit');
  return parts
    .filter((part) => !part.ok)
    .map((part) => (
      <Banner key={part.name} tone={part.reason === 'starting' ? 'info' : 'fault'} title={partTitle(i18n, part)}>
        <Remedy part={part} />
        {mayEdit && isWaiting(part) && <StartPart name={part.name} />}
      </Banner>
    ));
}

/** Whether the part is a process that waits for its next start. */
function isWaiting(part: SystemPart): part is SystemPart & { readonly name: RestartablePart } {
  const isProcess = restartableParts.some((name) => name === part.name);
  return isProcess && (part.reason === 'crashed' || part.reason === 'failing');
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
