import { Trans } from '@lingui/react/macro';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { type LicensedThing, useLicense } from './useLicense.ts';

/** Warns in advance about reached license limits; renders nothing otherwise. */
export function LicenseNote({ of }: { of: readonly LicensedThing[] }) {
  const license = useLicense();
  return of.map((what) => {
    const { limit, isFull } = license[what];
    return isFull && <Banner key={what} tone="info" title={<FullText what={what} limit={limit} />} />;
  });
}

function FullText({ what, limit }: { what: LicensedThing; limit: number }) {
  switch (what) {
    case 'channels':
      return (
        <Trans>
          The license allows {limit} channels to be on, and they are. Stop one before you start or add another.
        </Trans>
      );
    case 'outputs':
      return (
        <Trans>The license allows {limit} outputs to be on, and they are. Switch one off before you add another.</Trans>
      );
    case 'srt':
      return <Trans>The license allows {limit} SRT inputs and outputs to be in use, and they are.</Trans>;
  }
}
