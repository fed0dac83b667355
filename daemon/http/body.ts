import { HubError } from '../lib/hub-error.ts';

export const maxBodyBytes = 1024 * 1024;
const bodyTimeoutMs = 20_000;

/** The JSON value of a request, or undefined for an empty body. Memory and time are bounded while it is read. */
export async function readJson(request: Request): Promise<unknown> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBodyBytes) throw tooLarge();
  const bytes = await readBytes(request);
  if (bytes.length === 0) return undefined;
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new HubError('invalidArgument', 'send the body as application/json', { http: 415 });
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new HubError('formatError', 'the body is not JSON', { http: 400 });
  }
}

async function readBytes(request: Request): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array();
  const reader = request.body.getReader();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    reader.cancel().catch(() => {});
  }, bodyTimeoutMs);
  const parts: Uint8Array[] = [];
  let size = 0;
  // The caller hung up: nobody gets this answer, and it is no fault of ours.
  const next = () =>
    reader.read().catch(() => {
      throw new HubError('interrupted', 'the body ended early', { http: 400 });
    });
  try {
    for (let part = await next(); !part.done; part = await next()) {
      size += part.value.byteLength;
      if (size > maxBodyBytes) {
        await reader.cancel();
        throw tooLarge();
      }
      parts.push(part.value);
    }
  } finally {
    clearTimeout(timer);
  }
  if (late) throw new HubError('timeout', 'the body came too slowly', { http: 408 });
  return Buffer.concat(parts);
}

function tooLarge(): HubError {
  return new HubError('tooLarge', `a body holds at most ${maxBodyBytes} bytes`, { http: 413 });
}
