import { formType, type Upload } from '../contract/endpoint.ts';
import type { ResultName } from '../contract/result.ts';
import { fieldError, HubError } from '../lib/hub-error.ts';
import { timing } from '../timing.ts';
import type { FormFile } from './form-file.ts';

/** Parsing the worst body of this size keeps the event loop busy for less than 20 ms. */
export const maxBodyBytes = 256 * 1024;

/** Returns the JSON value of a request, or undefined for an empty body. Limits the memory and time it takes to read. */
export async function readJson(request: Request, maxBytes: number = maxBodyBytes): Promise<unknown> {
  const bytes = await readBytes(request, maxBytes);
  if (bytes.length === 0) return undefined;
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new HubError('invalidArgument', 'send the body as application/json', { http: 415 });
  }
  try {
    return parseTolerantly(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new HubError('formatError', 'the body is not JSON', { http: 400 });
  }
}

/** A string without an end reaches to the end of the text: searching it again from each quote in it would take seconds. */
const stringOrLastComma = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|,(?=\s*[}\]])/gs;

/** Samples of the published API have a comma after the last member. */
function parseTolerantly(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return JSON.parse(text.replaceAll(stringOrLastComma, (found) => (found.startsWith(',') ? '' : found)));
  }
}

/** Room for the boundary and headers of a part. */
const partBytes = 4096;

/**
 * Checks the declared type; the consumer checks the content. Of a form, returns the published part `file`: a
 * `FormFile` that still arrives, or its bytes.
 */
export async function readFile(request: Request, upload: Upload): Promise<Uint8Array | FormFile> {
  const { types, maxBytes } = upload;
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (!types.includes(type)) {
    throw new HubError('fileTypeError', `send the file as ${types.join(' or ')}`, { http: 415 });
  }
  if (upload.isStreamed) return (await import('./form-file.ts')).openFormFile(request, maxBytes);
  if (type !== formType) return readBytes(request, maxBytes, upload.tooLarge);
  const headers = { 'content-type': request.headers.get('content-type') ?? '' };
  const bytes = await readBytes(request, maxBytes + partBytes, upload.tooLarge);
  const form = await new Response(bytes as Uint8Array<ArrayBuffer>, { headers }).formData().catch(() => undefined);
  if (form === undefined) throw new HubError('formatError', 'the body is not a form', { http: 400 });
  const file = form.get('file');
  if (!(file instanceof Blob)) throw fieldError('file', 'required', 'a part named file is required');
  if (file.size > maxBytes) throw tooLarge(maxBytes, upload.tooLarge);
  return file.bytes();
}

async function readBytes(request: Request, maxBytes: number, fault?: ResultName): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes, fault);
  if (request.body === null) return new Uint8Array();
  const reader = request.body.getReader();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    reader.cancel().catch(() => {});
  }, timing.web.bodyMs);
  const parts: Uint8Array[] = [];
  let size = 0;
  // The caller disconnected: the response will not arrive, and the hub is not at fault.
  const next = () =>
    reader.read().catch(() => {
      throw new HubError('interrupted', 'the body is incomplete', { http: 400 });
    });
  try {
    for (let part = await next(); !part.done; part = await next()) {
      size += part.value.byteLength;
      if (size > maxBytes) {
        await reader.cancel();
        throw tooLarge(maxBytes, fault);
      }
      parts.push(part.value);
    }
  } finally {
    clearTimeout(timer);
  }
  if (late) throw new HubError('timeout', 'the body was sent too slowly', { http: 408 });
  return Buffer.concat(parts);
}

function tooLarge(maxBytes: number, fault: ResultName = 'tooLarge'): HubError {
  return new HubError(fault, `a body holds at most ${maxBytes} bytes`, { http: 413 });
}
