import { useLingui } from '@lingui/react/macro';
import type { SystemPart } from '../../../../daemon/contract/system.ts';
import { partCure, partTitle } from '../../i18n/part-text.ts';
import { Banner } from '../../ui/Banner.tsx';

/** Parts of the hub that are missing, why, and the cure. */
export function PartBanners({ parts }: { parts: readonly SystemPart[] }) {
  const { i18n } = useLingui();
  return parts
    .filter((part) => !part.ok)
    .map((part) => (
      <Banner key={part.name} tone={part.reason === 'starting' ? 'info' : 'fault'} title={partTitle(i18n, part)}>
        <Cure part={part} />
      </Banner>
    ));
}

function Cure({ part }: { part: SystemPart }) {
  const { i18n } = useLingui();
  const cure = partCure(i18n, part);
  if (cure === undefined) return part.message;
  return (
    <>
      {cure.text}
      {cure.detail !== undefined && <> {cure.detail}</>}
    </>
  );
}
