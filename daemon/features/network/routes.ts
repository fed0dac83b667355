import type { Context } from 'hono';
import type { Proof } from '../../appliance/confirmed-change/confirmed-changes.ts';
import { networkApi } from '../../contract/network.ts';
import { holds } from '../../contract/permission.ts';
import { bind, type HubEnv, type Route, type Session, signedIn } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';
import type { NetworkService } from './service.ts';
import type { WrongTokens } from './wrong-tokens.ts';

export interface NetworkRoutesOptions {
  readonly service: NetworkService;
  readonly wrongTokens: WrongTokens;
  /** Signs the user in at the address of the request; without effect if there is no such user any more. */
  readonly signIn: (http: Context<HubEnv>, userId: number) => Promise<void>;
}

/** The call takes longer than connections may usually be idle, because it waits until the port has blinked. */
const blinkIdleSeconds = 30;

/** Without the token, the author of the change confirms it in a session at its new address. */
function proofOf(token: string | undefined, session: Session | null): Proof {
  if (token !== undefined) return { token };
  const { user, token: accessToken } = signedIn(session);
  if (accessToken !== undefined || !holds(user.permission, 'systemEdit')) {
    throw new HubError('notPermitted', 'only the author of the change may confirm it without its token');
  }
  return { userId: user.id };
}

export function networkRoutes({ service, wrongTokens, signIn }: NetworkRoutesOptions): Route[] {
  return [
    bind(networkApi.get, () => service.get()),
    bind(networkApi.set, ({ actor, session, body }) => service.set(actor, signedIn(session), body)),
    bind(networkApi.confirm, async ({ actor, body, http, session }) => {
      if (body.challenge !== undefined) return service.answer(body.challenge, http.env.ends);
      const confirm = async () => service.confirm(proofOf(body.token, session), actor);
      const { kind, userId } = await wrongTokens.guard(actor.ip, confirm);
      if (userId !== null && session === null) await signIn(http, userId);
      return { kind };
    }),
    bind(networkApi.cancel, ({ actor }) => service.cancel(actor)),
    bind(networkApi.identify, ({ actor, body, http }) => {
      http.env.keepOpen(blinkIdleSeconds);
      return service.identify(actor, body.port);
    }),
  ];
}
