/** Sends a file to a call that takes one as its body. Separate from `call` to keep it out of the first load. */
import type { Endpoint, QueryInput, ResponseOf, Upload } from '../../../daemon/contract/endpoint.ts';
import { limits } from '../../../daemon/contract/limits.ts';
import { readAnswer } from '../lib/call-error.ts';
import { addressOf, fetchJson } from './client.ts';

export async function upload<E extends Endpoint & { readonly upload: Upload }>(
  endpoint: E,
  query: QueryInput<E>,
  file: File,
): Promise<ResponseOf<E>> {
  const init: RequestInit = {
    method: endpoint.method,
    signal: AbortSignal.timeout(limits.requestTimeoutMs),
    headers: { 'Content-Type': file.type },
    body: file,
  };
  return readAnswer(await fetchJson(addressOf(endpoint.path, query as object), init)) as ResponseOf<E>;
}
