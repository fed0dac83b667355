/** The parts of a file in PEM: certificates and private keys go to the hub in separate calls. */

const certificate = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;
const privateKey = /-----BEGIN ((?:[A-Z]+ )*PRIVATE KEY)-----[\s\S]*?-----END \1-----/;

export type PemPart = 'certificate' | 'key';

/**
 * Splits the text of a file into certificates and keys. A file with neither counts as `kind`, so that the hub reports
 * what is wrong with it.
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

/** Guesses the kind of a file with neither from its name. */
export function kindByName(name: string): PemPart {
  return /\.key$/i.test(name) ? 'key' : 'certificate';
}
