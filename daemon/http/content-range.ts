import { fieldError } from '../lib/hub-error.ts';

/** The part of a file that the body of a request is. */
export interface BodyPart {
  /** Position of its first byte. */
  readonly from: number;
  /** Position after its last byte, and size of the file; undefined for a body of unknown length without a range. */
  readonly end: number | undefined;
  readonly total: number | undefined;
}

/**
 * Reads `Content-Range: bytes FIRST-LAST/TOTAL` (RFC 9110, section 14.5), with which curl resumes a PUT. Without it,
 * the body is the whole file.
 */
export function bodyPart(headers: Headers): BodyPart {
  const length = headers.get('content-length');
  const size = length === null ? undefined : Number(length);
  const range = headers.get('content-range');
  if (range === null) return { from: 0, end: size, total: size };
  const [from = 0, last = 0, total = 0] =
    /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(range)?.slice(1).map(Number) ?? [];
  if (last < from || last >= total) throw fieldError('content-range', 'format', 'expected bytes FIRST-LAST/TOTAL');
  if (size !== undefined && size !== last + 1 - from) {
    throw fieldError('content-range', 'range', `${last + 1 - from} bytes, but the body has ${size}`);
  }
  return { from, end: last + 1, total };
}
