import { Plural, Trans } from '@lingui/react/macro';
import type { CertificateFacts } from '../../../../daemon/contract/certificates.ts';
import { useNow } from '../../ui/data/useNow.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { coversHost } from './name-match.ts';

const dayMs = 86_400_000;
const warnDays = 30;

/** Warns if the certificate expires soon, or does not contain the address of this page. */
export function CertificateWarnings({ facts }: { facts: CertificateFacts }) {
  const now = useNow(60_000);
  const host = location.hostname;
  const leftMs = facts['valid-to'] - now;
  const days = Math.floor(leftMs / dayMs);
  return (
    <>
      {leftMs <= 0 && (
        <Banner tone="fault" title={<Trans>The certificate has expired</Trans>}>
          <Trans>Browsers warn about it, and other clients refuse to connect.</Trans>
        </Banner>
      )}
      {leftMs > 0 && days < warnDays && !facts['made-by-hub'] && (
        <Banner
          tone="warn"
          title={
            <Plural
              value={days}
              _0="The certificate expires in less than a day"
              one="The certificate expires in # day"
              other="The certificate expires in # days"
            />
          }
        >
          <Trans>Have a new one signed and install it before then.</Trans>
        </Banner>
      )}
      {!coversHost(facts.names, host) && (
        <Banner tone="warn" title={<Trans>The certificate does not name {host}</Trans>}>
          <Trans>Browsers that open the console under this address warn about the certificate.</Trans>
        </Banner>
      )}
    </>
  );
}
