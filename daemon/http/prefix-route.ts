import type { Context } from 'hono';
import type { Scope } from '../contract/calls.ts';
import type { HubEnv } from './route.ts';

/**
 * Every path with the same beginning, whose calls are those of another API. The response is JSON; a failure has the code
 * of the hub in `result`, and in the field of that API.
 */
export interface PrefixRoute {
  readonly prefix: `/socket/${string}`;
  readonly scope: Scope;
  readonly field: 'result' | 'status';
  /** One sentence for the API description. */
  readonly summary: string;
  /** Names and meanings of query values. */
  readonly query: Readonly<Record<string, string>>;
  respond(context: Context<HubEnv>): Promise<object>;
}
