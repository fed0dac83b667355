import type { Context } from 'hono';
import type { Scope } from '../contract/endpoint.ts';
import type { HubEnv } from './route.ts';

/**
 * A read whose answer is not JSON with `result`: event stream, figures, descriptions. Because programs read it that look
 * at the HTTP status only, a refusal has one of its own (401, 403, 503).
 */
export interface PlainRoute {
  readonly path: `/${string}`;
  readonly scope: Scope;
  /** Callers on this machine need no session. */
  readonly isOpenToLocalhost: boolean;
  /** Answers also before the set-up page was done. */
  readonly isOpenBeforeSetup: boolean;
  /** The page opens it by itself, or leaves it open: it keeps no session alive. */
  readonly isPassive?: true;
  /** One sentence for the API description. */
  readonly summary: string;
  readonly contentType: string;
  /** Names and meanings of query values. */
  readonly query: Readonly<Record<string, string>>;
  respond(context: Context<HubEnv>): Response | Promise<Response>;
}
