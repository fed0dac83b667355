/** Why the hub refused a certificate or a key. */
import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { CertificateFault, KeyFault } from '../../../../daemon/contract/certificate-faults.ts';
import { faultText } from '../../i18n/result-text.ts';
import { CallError, faultOf } from '../../lib/call-error.ts';
import { formatFor } from '../../lib/format.ts';
import type { PemPart } from './pem.ts';

/** `tooLarge`: found by the page, which then does not send the file. */
type Words = Record<CertificateFault | KeyFault | 'tooLarge', (params: CallError['params']) => MessageDescriptor>;

function texts(i18n: I18n): Words {
  const format = formatFor(i18n.locale === 'zh' ? 'zh-CN' : 'en-GB');
  const at = ({ time = 0 }: CallError['params']) => format.dateTime(Number(time));
  return {
    noCertificate: () => msg`The file has no certificate in PEM format. Convert it, for example with openssl x509.`,
    damaged: () => msg`A certificate in the file is damaged.`,
    tooMany: () => msg`The file has more than 10 certificates.`,
    notYetValid: (params) =>
      msg`A certificate in the file is valid only from ${at(params)}. Check the clock of the hub.`,
    expired: (params) => msg`A certificate in the file expired at ${at(params)}.`,
    notFirst: () => msg`The certificate of the hub must be the first one in the file.`,
    order: ({ position = 0 }) =>
      msg`Certificate ${position} in the file was not issued by the one after it. Put them in order, the certificate of the hub first.`,
    unusable: () => msg`HTTPS cannot use this certificate.`,
    noKey: () => msg`The file has no private key in PEM format.`,
    encrypted: () =>
      msg`The private key is protected by a passphrase. Remove the passphrase, for example with openssl pkey, and choose the file again.`,
    mismatch: () => msg`The key does not belong to the certificate.`,
    tooLarge: () => msg`The file is too large for a certificate or a key.`,
  };
}

export function certificateFaultText(i18n: I18n, error: unknown): string {
  const what = error instanceof CallError ? String(error.params.what) : '';
  const known: Readonly<Record<string, Words[keyof Words]>> = texts(i18n);
  const text = known[what];
  return partOf(error) === undefined || text === undefined
    ? faultText(i18n, error)
    : i18n._(text((error as CallError).params));
}

/** Returns which file the fault is about. */
export function partOf(error: unknown): PemPart | undefined {
  const fault = faultOf(error);
  if (fault === 'caKeyInvalid') return 'key';
  return fault === 'caCertificateInvalid' ? 'certificate' : undefined;
}
