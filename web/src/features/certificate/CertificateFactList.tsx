import { Trans, useLingui } from '@lingui/react/macro';
import type { CertificateFacts } from '../../../../daemon/contract/certificates.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { CopyButton } from '../../ui/data/CopyButton.tsx';
import styles from './Certificate.module.css';

export function CertificateFactList({ facts }: { facts: CertificateFacts }) {
  const { t } = useLingui();
  const format = useFormat();
  return (
    <dl className={styles.facts}>
      <dt>
        <Trans>Subject</Trans>
      </dt>
      <dd>{facts.subject || '–'}</dd>
      <dt>
        <Trans>Names and addresses</Trans>
      </dt>
      <dd>{facts.names.length === 0 ? '–' : <Names names={facts.names} />}</dd>
      <dt>
        <Trans>Issuer</Trans>
      </dt>
      <dd>
        <Issuer facts={facts} />
      </dd>
      <dt>
        <Trans>Valid from</Trans>
      </dt>
      <dd>{format.dateTime(facts['valid-from'])}</dd>
      <dt>
        <Trans>Valid until</Trans>
      </dt>
      <dd>{format.dateTime(facts['valid-to'])}</dd>
      <dt>
        <Trans>Fingerprint (SHA-256)</Trans>
      </dt>
      <dd className={styles.fingerprint}>
        <span>{facts.fingerprint}</span>
        <CopyButton text={facts.fingerprint} label={t`Fingerprint (SHA-256)`} />
      </dd>
    </dl>
  );
}

function Names({ names }: { names: readonly string[] }) {
  return (
    <ul className={styles.names}>
      {names.map((name) => (
        <li key={name}>{name}</li>
      ))}
    </ul>
  );
}

function Issuer({ facts }: { facts: CertificateFacts }) {
  const { intermediates: count } = facts;
  if (facts['made-by-hub']) return <Trans>Self-signed: this hub created it and renews it automatically</Trans>;
  if (facts['self-signed']) return <Trans>Self-signed</Trans>;
  if (count === 0) return facts.issuer;
  return (
    <Trans>
      {facts.issuer} (intermediate certificates: {count})
    </Trans>
  );
}
