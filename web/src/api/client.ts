/** Calls the hub. Request and response types come from the contract's endpoint table. */
import { backgroundHeader } from '../../../daemon/contract/calls.ts';
import type { BodyInput, Endpoint, QueryInput, ResponseOf } from '../../../daemon/contract/endpoint.ts';
import { limits } from '../../../daemon/contract/limits.ts';
import { CallError, readAnswer } from '../lib/call-error.ts';

type BodyPart<E extends Endpoint> = E['body'] extends undefined ? { body?: undefined } : { body: BodyInput<E> };
type QueryPart<E extends Endpoint> = E['query'] extends undefined ? { query?: undefined } : { query?: QueryInput<E> };
type CallInput<E extends Endpoint> = BodyPart<E> &
  QueryPart<E> & {
    signal?: AbortSignal;
    /** Default: the limit of the hub's own calls. */
    timeoutMs?: number;
    /** Whether a user action caused the call, which keeps the session alive; background polling does not. */
    isUse?: boolean;
  };
export type CallArguments<E extends Endpoint> = E['body'] extends undefined
  ? [input?: CallInput<E>]
  : [input: CallInput<E>];

export async function call<E extends Endpoint>(endpoint: E, ...[input]: CallArguments<E>): Promise<ResponseOf<E>> {
  const isPost = endpoint.method === 'POST';
  const {
    body,
    query,
    signal,
    timeoutMs = limits.requestTimeoutMs,
    isUse = isPost,
  } = (input ?? {}) as {
    body?: unknown;
    query?: object;
    signal?: AbortSignal;
    timeoutMs?: number;
    isUse?: boolean;
  };
  const timeout = AbortSignal.timeout(timeoutMs);
  const init: RequestInit = {
    method: endpoint.method,
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    headers: {
      ...(isPost && { 'Content-Type': 'application/json' }),
      ...(!isUse && { [backgroundHeader]: '1' }),
    },
    ...(isPost && { body: JSON.stringify(body ?? {}) }),
  };
  const answer = await fetchJson(addressOf(endpoint.path, query), init);
  return readAnswer(answer) as ResponseOf<E>;
}

export async function fetchJson(address: string, init: RequestInit): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(address, init);
  } catch (error) {
    throw transportError(error);
  }
  try {
    return await response.json();
  } catch (error) {
    // A proxy, or a hub that is shutting down, may send a response that is not JSON.
    if (response.status >= 500) throw new CallError('unreachable');
    throw error instanceof SyntaxError ? new CallError('unexpectedAnswer') : transportError(error);
  }
}

function transportError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === 'TimeoutError') return new CallError('requestTimeout');
  return error.name === 'AbortError' ? error : new CallError('unreachable');
}

export function addressOf(path: string, query: object | undefined): string {
  const values = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) values.set(name, String(value));
  }
  const text = values.toString();
  return text ? `${path}?${text}` : path;
}
