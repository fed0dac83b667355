/** Uploads: a call of a noun announces the file, then its bytes follow in one or more requests (docs/api.md). */
import * as z from 'zod/mini';
import { limits } from './limits.ts';

/** The body of a call that begins an upload. */
export const AnnouncedFile = z.object({
  name: z.string().check(
    z.minLength(1, 'required'),
    z.maxLength(limits.uploads.name, 'tooLong'),
    // Neither a path, nor `.` or `..`: a noun may name a file after it.
    z.regex(/^(?!\.{1,2}$)[^\p{Cc}/\\]*$/u, 'characters'),
  ),
  /** Bytes. */
  size: z.int('number').check(z.gte(1, 'range')),
  /** Of the whole file, in hexadecimal; the upload fails if what arrives has another one. */
  sha256: z.optional(z.string().check(z.regex(/^[0-9a-fA-F]{64}$/, 'format'))),
});
export type AnnouncedFile = z.infer<typeof AnnouncedFile>;

/** The response: the task that receives the file. */
export const UploadTask = z.object({ task: z.int() });
