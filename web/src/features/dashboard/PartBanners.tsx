import { useLingui } from '@lingui/react/macro';
import type { SystemPart } from '../../../../daemon/contract/system.ts';
import { partRemedy, partTitle } from '../../i18n/part-text.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';

/** Hub components that are not working, with the reason and the remedy. */
export function PartBanners({ parts }: { parts: readonly SystemPart[] }) {
  const { i18n } = useLingui();
  return parts
    .filter((part) => !part.ok)
    .map((part) => (
      <Banner key={part.name} tone={part.reason === 'starting' ? 'info' : 'fault'} title={partTitle(i18n, part)}>
        <Remedy part={part} />
      </Banner>
    ));
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
