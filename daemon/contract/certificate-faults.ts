/** Why the hub refuses a certificate or a key: `params.what` of `caCertificateInvalid` and `caKeyInvalid`. */
export const certificateFaults = [
  /** The file has no certificate in PEM. */
  'noCertificate',
  'damaged',
  'tooMany',
  /** The certificate is not valid yet. `params.time`: when its validity begins, in milliseconds since 1970. */
  'notYetValid',
  /** The certificate has expired. `params.time`: when it expired, in milliseconds since 1970. */
  'expired',
  /** The certificate of the hub is not the first one in the file. */
  'notFirst',
  /** A certificate was not issued by the next one. `params.position`: its position in the file, from 1. */
  'order',
  /** The hub tested HTTPS with this certificate, and its own client could not connect. */
  'unusable',
] as const;
export type CertificateFault = (typeof certificateFaults)[number];

export const keyFaults = [
  /** The file has no private key in PEM. */
  'noKey',
  /** The key has a passphrase. */
  'encrypted',
  /** The key belongs to another certificate. */
  'mismatch',
] as const;
export type KeyFault = (typeof keyFaults)[number];
