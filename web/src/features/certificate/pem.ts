/** The parts of a file in PEM: certificates and private keys go to the hub in separate calls. */

const certificate = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;
const privateKey = /-----BEGIN ((?:[A-Z]+ )*PRIVATE KEY)-----[\s\S]*?-----END \1-----/;

export type PemPart = 'certificate' | 'key';

/**
 * Returns what the text of a file has of each part. A file with neither is one of `kind`: the hub says what is wrong
 * with it.
 */
export function pemParts(text: string, kind: PemPart): Readonly<Partial<Record<PemPart, string>>> {
  const certificates = text.match(certificate);
  const key = privateKey.exec(text)?.[0];
  if (certificates === null && key === undefined) return { [kind]: text };
  return {
    ...(certificates !== null && { certificate: `${certificates.join('\n')}\n` }),
    ...(key !== undefined && { key: `${key}\n` }),
  };
}

/** What a file with neither is, by its name. */
export function kindByName(name: string): PemPart {
  return /\.key$/i.test(name) ? 'key' : 'certificate';
}
