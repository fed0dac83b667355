/** Why the hub refuses a certificate or a key: `params.what` of `caCertificateInvalid` and `caKeyInvalid`. */
export const certificateFaults = [
  /** The file has no certificate in PEM. */
  'noCertificate',
  'damaged',
  'tooMany',
  /** `params.time`: from when it is valid, in milliseconds since 1970. */
  'notYetValid',
  /** `params.time`: when it expired, in milliseconds since 1970. */
  'expired',
  /** The certificate of the hub is not the first one in the file. */
  'notFirst',
  /** `params.position`: of the certificate that the one behind it did not issue, from 1. */
  'order',
  /** A client of the hub's own could not connect with it. */
  'unusable',
] as const;
export type CertificateFault = (typeof certificateFaults)[number];

export const keyFaults = [
  /** The file has no private key in PEM. */
  'noKey',
  /** It has a passphrase. */
  'encrypted',
  /** It belongs to another certificate. */
  'mismatch',
] as const;
export type KeyFault = (typeof keyFaults)[number];
