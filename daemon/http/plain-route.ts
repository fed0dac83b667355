import type { Context } from 'hono';
import type { Scope } from '../contract/calls.ts';
import type { HubEnv } from './route.ts';

/**
 * A read whose response is not JSON with `result`: event stream, metrics, descriptions. Because its clients check only
 * the HTTP status, errors have a status of their own (401, 403, 503).
 */
export interface PlainRoute {
  readonly path: `/${string}`;
  readonly scope: Scope;
  /** Callers on this machine need no session. */
  readonly isOpenToLocalhost?: boolean;
  /** Also available before setup is complete. */
  readonly isOpenBeforeSetup?: boolean;
  /** A page opens it on its own, or keeps it open: it does not keep the session alive. */
  readonly isPassive?: true;
  /** One sentence for the API description. */
  readonly summary: string;
  readonly contentType: string;
  /** Names and meanings of query values. */
  readonly query?: Readonly<Record<string, string>>;
  respond(context: Context<HubEnv>): Response | Promise<Response>;
}
