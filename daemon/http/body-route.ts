import type { Context } from 'hono';
import type { Scope } from '../contract/calls.ts';
import type { ResultName } from '../contract/result.ts';
import { HubError } from '../lib/hub-error.ts';
import { isNoSpace, noSpaceError } from '../lib/no-space.ts';
import type { HubEnv, Session } from './route.ts';

/**
 * A PUT whose body is a file of any size. The handler reads the body as a stream and limits it. The response is JSON
 * with `result`, but a failure has an HTTP status of its own: at 200, clients such as curl would send the whole file.
 */
export interface BodyRoute {
  readonly path: `/api/${string}`;
  readonly scope: Scope;
  /** One sentence for the API description. */
  readonly summary: string;
  /** Names and meanings of query values and headers. */
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Returns the members of the response besides `result`. `sender` returns the session as it is now, null if it has
   * ended, and counts as use of it: a transfer may take longer than a session lasts unused.
   */
  receive(context: Context<HubEnv>, sender: () => Session | null): Promise<object>;
}

export const bodyType = 'application/octet-stream';

const statusOf: Partial<Record<ResultName, number>> = {
  ...{ notLoggedIn: 401, notPermitted: 403, notExist: 404, timeout: 408, tooLarge: 413, fileTypeError: 415 },
  ...{ rangeError: 409, wrongState: 409, inProgress: 409, canceled: 409, verifyFailed: 422 },
  ...{ notInitialized: 503, interrupted: 503, noSpace: 507 },
};

/** Returns the error with the status that stops a client. An error that is a bug is returned as it is. */
export function withStatus(error: unknown): unknown {
  const refusal = isNoSpace(error) ? noSpaceError() : error;
  if (!(refusal instanceof HubError) || refusal.http !== 200) return refusal;
  const { result, message, params, fields } = refusal;
  return new HubError(result, message, {
    ...{ http: statusOf[result] ?? 400 },
    ...(params && { params }),
    ...(fields && { fields }),
  });
}
