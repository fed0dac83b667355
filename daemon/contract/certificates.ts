/** Files for HTTPS, which `settings/set` installs. */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { CertificateSubject } from './certificate-fields.ts';
import { endpoints, formType } from './endpoint.ts';
import { limits } from './limits.ts';

const upload = { types: [formType], maxBytes: limits.certificate.maxBytes } as const;

/** By which `settings/set` installs the file. Only the newest file of each kind is kept. */
const Kept = z.object({ filename: z.string() });

export const certificateApi = endpoints(calls.certificates, {
  upload: {
    summary: 'Upload a certificate for HTTPS as PEM, with the intermediate ones behind it. `settings/set` installs it.',
    upload: { ...upload, tooLarge: 'caCertificateInvalid' },
    response: Kept,
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
