/** Files for HTTPS, which `settings/set` installs. */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { CertificateSubject } from './certificate-fields.ts';
import { endpoints, formType } from './endpoint.ts';
import { limits } from './limits.ts';

const upload = { types: [formType], maxBytes: limits.certificate.maxBytes } as const;

/** By which `settings/set` installs the file. Only the newest file of each kind is kept. */
const Kept = z.object({ filename: z.string() });

export const CertificateFacts = z.object({
  /** The most specific part first, such as `CN=hub.example.org, O=Studio`; may be empty. */
  subject: z.string(),
  issuer: z.string(),
  /** Host names and IP addresses for which the certificate is valid. */
  names: z.array(z.string()),
  /** Milliseconds since 1970. */
  'valid-from': z.int(),
  'valid-to': z.int(),
  /** SHA-256 in hexadecimal, with a colon between bytes. */
  fingerprint: z.string(),
  'self-signed': z.boolean(),
  /** Whether the hub created the certificate, and renews it automatically. */
  'made-by-hub': z.boolean(),
  /** Number of intermediate certificates that follow the certificate. */
  intermediates: z.int(),
});
export type CertificateFacts = z.infer<typeof CertificateFacts>;

export const certificateApi = endpoints(calls.certificates, {
  get: {
    summary: 'Get the certificate of HTTPS.',
    response: z.object({
      /** Absent until HTTPS is enabled for the first time, and while the stored one is damaged. */
      certificate: z.optional(CertificateFacts),
    }),
  },
  upload: {
    summary: 'Upload a certificate for HTTPS as PEM, with the intermediate ones behind it. `settings/set` installs it.',
    upload: { ...upload, tooLarge: 'caCertificateInvalid' },
    response: z.extend(Kept, {
      certificate: CertificateFacts,
      /** Whether the hub has the private key, from the last request or of the current certificate. */
      'has-key': z.boolean(),
    }),
  },
  uploadKey: {
    summary: 'Upload the private key of the certificate as PEM without a passphrase. `settings/set` installs it.',
    upload: { ...upload, tooLarge: 'caKeyInvalid' },
    response: Kept,
  },
  request: {
    summary:
      'Make a key and the request for its certificate. The key stays on the hub: upload the certificate that an authority signed, alone, and install it.',
    body: CertificateSubject,
    response: z.object({
      /** PKCS #10 in PEM. */
      request: z.string(),
    }),
  },
});
