import { useLingui } from '@lingui/react/macro';
import type { SystemPart } from '../../../../daemon/contract/system.ts';
import { partName, partReason } from '../../i18n/reason-text.ts';
import { Banner } from '../../ui/Banner.tsx';

/** Parts of the hub that are missing, why, and the cure in the hub's own words. */
export function PartBanners({ parts }: { parts: readonly SystemPart[] }) {
  const { i18n } = useLingui();
  return parts
    .filter((part) => !part.ok)
    .map((part) => (
      <Banner
        key={part.name}
        tone={part.reason === 'starting' ? 'info' : 'fault'}
        title={`${partName(i18n, part.name)}: ${partReason(i18n, part)}`}
      >
        {part.message}
      </Banner>
    ));
}
