import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { CertificateFacts } from '../../../../daemon/contract/certificates.ts';
import { limits } from '../../../../daemon/contract/limits.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { DropZone } from '../../ui/form/DropZone.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import { AskToInstall } from './AskToInstall.tsx';
import styles from './Certificate.module.css';
import { CertificateFactList } from './CertificateFactList.tsx';
import { CertificateWarnings } from './CertificateWarnings.tsx';
import { tooLarge, uploadCertificate, uploadKey } from './certificate-calls.ts';
import { partOf } from './certificate-fault.ts';
import { FileChoice } from './FileChoice.tsx';
import { kindByName, type PemPart, pemParts } from './pem.ts';

/** Takes the files of a certificate and its key. The hub checks each file, then both as a pair. */
export function InstallPanel({ requestedAt }: { requestedAt: number | undefined }) {
  const { t } = useLingui();
  const format = useFormat();
  const [isAsked, setAsked] = useState(false);
  const [refused, setRefused] = useState<unknown>();
  const certificate = useMutation({ mutationFn: uploadCertificate });
  const key = useMutation({ mutationFn: uploadKey });
  const take = async (files: readonly File[], kindOf: (name: string) => PemPart) => {
    setRefused(undefined);
    const found: Record<PemPart, string[]> = { certificate: [], key: [] };
    const names: Partial<Record<PemPart, string>> = {};
    for (const file of files) {
      if (file.size > limits.certificate.maxBytes) return setRefused(tooLarge[kindOf(file.name)]);
      const parts = pemParts(await file.text(), kindOf(file.name));
      for (const part of ['certificate', 'key'] as const) {
        if (parts[part] === undefined) continue;
        found[part].push(parts[part]);
        names[part] ??= file.name;
      }
    }
    if (names.certificate !== undefined) {
      certificate.mutate({ name: names.certificate, text: found.certificate.join('') });
    }
    if (names.key !== undefined) key.mutate({ name: names.key, text: found.key.join('') });
  };
  const certificateText = ({ subject, names, 'valid-to': to }: CertificateFacts) => {
    const name = subject || (names[0] ?? '–');
    const end = format.dateTime(to);
    return t`Certificate: ${name}, valid until ${end}`;
  };
  const fault = (part: PemPart) => (partOf(refused) === part ? refused : (part === 'key' ? key : certificate).error);
  const clear = () => {
    certificate.reset();
    key.reset();
  };
  const [ofCertificate, ofKey] = [certificate.data, key.data];
  const isReady = ofCertificate !== undefined && (ofKey !== undefined || ofCertificate['has-key']);
  return (
    <DropZone
      onFiles={(files) => void take(files, kindByName)}
      note={<Trans>Drop the certificate and its key here</Trans>}
    >
      <Panel title={<Trans>Install a certificate</Trans>}>
        <div className={styles.panel}>
          <p className={styles.hint}>
            <Trans>
              Files in PEM format: the certificate of the hub, followed by the intermediate certificates, and the
              private key. They may be in one file, and you can drop them here.
            </Trans>
          </p>
          <FileChoice
            title={t`Certificate`}
            file={certificate.variables?.name}
            isSending={certificate.isPending}
            error={fault('certificate')}
            onFiles={(files) => void take(files, () => 'certificate')}
          >
            {ofCertificate !== undefined && (
              <>
                <CertificateWarnings facts={ofCertificate.certificate} />
                <CertificateFactList facts={ofCertificate.certificate} />
              </>
            )}
          </FileChoice>
          <FileChoice
            title={t`Private key`}
            file={key.variables?.name}
            isSending={key.isPending}
            error={fault('key')}
            onFiles={(files) => void take(files, () => 'key')}
          >
            <KeyHint
              isFromHub={ofKey === undefined && ofCertificate?.['has-key'] === true}
              isRequested={requestedAt !== undefined}
              isChosen={ofKey !== undefined}
            />
          </FileChoice>
          <div className={styles.acts}>
            {(certificate.variables ?? key.variables) !== undefined && (
              <Button variant="subtle" onClick={clear}>
                <Trans>Discard</Trans>
              </Button>
            )}
            <Button disabled={!isReady || certificate.isPending || key.isPending} onClick={() => setAsked(true)}>
              <Trans>Install…</Trans>
            </Button>
          </div>
        </div>
      </Panel>
      {isAsked && ofCertificate !== undefined && (
        <AskToInstall
          title={t`Install this certificate?`}
          changes={[
            certificateText(ofCertificate.certificate),
            ofKey === undefined ? t`Private key: the one that the hub has` : t`Private key: the one that you chose`,
          ]}
          web={{
            'cert-filename': ofCertificate.filename,
            ...(ofKey !== undefined && { 'cert-key-filename': ofKey.filename }),
          }}
          onInstalled={clear}
          onRefused={setRefused}
          onClose={() => setAsked(false)}
        />
      )}
    </DropZone>
  );
}

interface KeyHintProps {
  /** Whether the hub has the key of the chosen certificate. */
  readonly isFromHub: boolean;
  readonly isRequested: boolean;
  readonly isChosen: boolean;
}

function KeyHint({ isFromHub, isRequested, isChosen }: KeyHintProps) {
  if (isChosen) return null;
  return (
    <p className={styles.hint}>
      {isFromHub ? (
        <Trans>The hub has the key of this certificate. No file is needed.</Trans>
      ) : isRequested ? (
        <Trans>Not needed for a certificate from the request below: the hub has the private key.</Trans>
      ) : (
        <Trans>The key must not have a passphrase. It stays on the hub and cannot be read back.</Trans>
      )}
    </p>
  );
}
