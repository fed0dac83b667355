/** A signed-in client of the HTTP API, like an integrator's script. */
import { setTimeout as wait } from 'node:timers/promises';
import { cookieNames } from '../../daemon/contract/auth.ts';
import type { BodyInput, Endpoint, ResponseOf } from '../../daemon/contract/endpoint.ts';
import { results } from '../../daemon/contract/result.ts';

const callTimeoutMs = 10_000;

export interface HubClient {
  get<E extends Endpoint>(endpoint: E, query?: Record<string, string>): Promise<ResponseOf<E>>;
  post<E extends Endpoint>(endpoint: E, body: BodyInput<E>): Promise<ResponseOf<E>>;
}

export async function signIn(origin: string, password: string): Promise<HubClient> {
  const response = await fetch(`${origin}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'Admin', password }),
    signal: AbortSignal.timeout(callTimeoutMs),
  });
  const { token } = (await answerOf('POST /api/login', response)) as { token: string };
  const cookie = `${cookieNames.sid}=${token}`;

  async function call(endpoint: Endpoint, search: string, init: RequestInit): Promise<unknown> {
    const signal = AbortSignal.timeout(callTimeoutMs);
    const answer = await fetch(`${origin}${endpoint.path}${search}`, { ...init, signal });
    return answerOf(`${endpoint.method} ${endpoint.path}`, answer);
  }
  return {
    get: (endpoint, query = {}) => {
      const search = new URLSearchParams(query).toString();
      return call(endpoint, search && `?${search}`, { headers: { cookie } }) as Promise<ResponseOf<typeof endpoint>>;
    },
    post: (endpoint, body) => {
      const headers = { cookie, 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      return call(endpoint, '', init) as Promise<ResponseOf<typeof endpoint>>;
    },
  };
}

/** Resolves when the hub is ready; rejects if `signal` aborts first. */
export async function untilReady(origin: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const isReady = await fetch(`${origin}/api/health`, { signal }).then(
      (response) => response.ok,
      () => false,
    );
    if (isReady) return;
    await wait(50, undefined, { signal });
  }
}

async function answerOf(call: string, response: Response): Promise<unknown> {
  const text = await response.text();
  if (!response.headers.get('content-type')?.includes('json')) {
    throw new Error(`${call}: status ${response.status}, no JSON`);
  }
  const answer = JSON.parse(text) as { result: number; message?: string };
  if (answer.result === 0) return answer;
  const name = Object.entries(results).find(([, { code }]) => code === answer.result)?.[0];
  throw new Error(`${call}: ${name ?? answer.result}${answer.message ? `, ${answer.message}` : ''}`);
}
