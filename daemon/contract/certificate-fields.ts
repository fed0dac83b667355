/** The request for a certificate. */
import * as z from 'zod/mini';
import { limits } from './limits.ts';
import { inWords, isHost } from './rules.ts';

const text = (max: number) =>
  z.string().check(
    z.maxLength(max, 'tooLong'),
    z.regex(/^[^\p{Cc}]*$/u, 'characters'),
    z.refine((value) => value === value.trim(), 'outerSpace'),
    inWords('No space at either end.'),
  );

/** What the authority is asked to sign: lengths as in RFC 5280. */
export const CertificateSubject = z.object({
  /** Host names and IP addresses by which the console is reached; the first is also the common name. */
  names: z
    .array(
      z.string().check(
        z.refine((name) => isHost(name.replace(/^\*\./, '')), 'host'),
        inWords('A host name, also one with a wildcard such as `*.example.org`, or an IP address.'),
      ),
    )
    .check(z.minLength(1, 'required'), z.maxLength(limits.certificate.names, 'tooMany')),
  organization: z.optional(text(64)),
  /** City. */
  locality: z.optional(text(128)),
  /** State or province. */
  state: z.optional(text(128)),
  /** Two letters, such as `DE`; empty for none. */
  country: z.optional(z.string().check(z.regex(/^(?:[A-Z]{2})?$/, 'format'))),
  /** `ec`: P-256, if absent. `rsa`: 3072 bits, for authorities that sign no others. */
  key: z.optional(z.enum(['ec', 'rsa'])),
});
export type CertificateSubject = z.infer<typeof CertificateSubject>;
