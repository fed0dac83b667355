/** The session, asked for while the code that shows it is still on its way. */
import type { ResponseOf } from '../../../daemon/contract/endpoint.ts';
import { authApi } from './calls.ts';
import { call } from './client.ts';

type Session = ResponseOf<typeof authApi.session>;

let asked: Promise<Session> | undefined;

export function askSession(): Promise<Session> {
  const request = call(authApi.session);
  asked = request;
  // A fault is not kept: the next to need the session asks again.
  request.catch(() => {
    asked = undefined;
  });
  return request;
}

/** Returns the session that was asked for; only the first time, because it may change. */
export function takeSession(): Promise<Session> | undefined {
  const taken = asked;
  asked = undefined;
  return taken;
}
