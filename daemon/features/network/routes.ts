import type { Context } from 'hono';
import { networkApi } from '../../contract/network.ts';
import { bind, type HubEnv, type Route, signedIn } from '../../http/route.ts';
import type { NetworkService } from './service.ts';
import type { WrongTokens } from './wrong-tokens.ts';

export interface NetworkRoutesOptions {
  readonly service: NetworkService;
  readonly wrongTokens: WrongTokens;
  /** Signs the user in at the address of the request; without effect if there is no such user any more. */
  readonly signIn: (http: Context<HubEnv>, userId: number) => Promise<void>;
}

export function networkRoutes({ service, wrongTokens, signIn }: NetworkRoutesOptions): Route[] {
  return [
    bind(networkApi.get, () => service.get()),
    bind(networkApi.set, ({ actor, session, body }) => service.set(actor, signedIn(session), body)),
    bind(networkApi.confirm, async ({ actor, body, http, session }) => {
      const { kind, userId } = await wrongTokens.guard(actor.ip, () => service.confirm(body.token));
      if (userId !== null && session === null) await signIn(http, userId);
      return { kind };
    }),
    bind(networkApi.cancel, ({ actor }) => service.cancel(actor)),
  ];
}
