/** JSON payloads of frames, checked before use. */
import * as z from 'zod/mini';
import { LinkFault } from './codes.ts';
import { priorities } from './link-stream.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });
const encoder = new TextEncoder();

export const toPayload = (value: object): Uint8Array => encoder.encode(JSON.stringify(value));

/** Returns a function that throws LinkFault for anything but a value of this form. */
export function payloadReader<Schema extends z.core.$ZodType>(name: string, schema: Schema) {
  return (payload: Uint8Array): z.infer<Schema> => {
    let value: unknown;
    try {
      value = JSON.parse(decoder.decode(payload));
    } catch {
      throw new LinkFault('malformed', `${name} is not JSON`);
    }
    const result = z.safeParse(schema, value);
    if (result.success) return result.data;
    const [issue] = result.error.issues;
    throw new LinkFault('malformed', `${name}: ${issue?.path.join('.')}: ${issue?.message}`);
  };
}

export const port = z.int().check(z.minimum(1), z.maximum(65_535));

/** What a new stream is for. */
const openRequest = z.object({
  /** `tcp`: a port of the device. Others are up to the two sides. */
  kind: z.enum(['tcp', 'service', 'control', 'preview']),
  port: z.optional(port),
  service: z.optional(z.string().check(z.maxLength(64))),
  priority: z.enum(priorities),
  /** For the logs of both sides. */
  requestId: z.optional(z.string().check(z.maxLength(64))),
  /** Name of the user on whose behalf the stream is opened. */
  user: z.optional(z.string().check(z.maxLength(128))),
});
export type OpenRequest = z.infer<typeof openRequest>;
export const readOpenRequest = payloadReader('OPEN', openRequest);

const goAway = z.object({
  reason: z.enum(['stopping', 'replaced', 'busy']),
  /** The peer reconnects after a random time up to this many milliseconds. */
  spreadMs: z.int().check(z.minimum(0), z.maximum(3_600_000)),
});
export type GoAway = z.infer<typeof goAway>;
export const readGoAway = payloadReader('GOAWAY', goAway);
