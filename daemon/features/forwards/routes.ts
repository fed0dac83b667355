import { forwardApi } from '../../contract/forwards.ts';
import { type Actor, bind, type Route, type Session, signedIn } from '../../http/route.ts';
import type { Caller, ForwardService } from './service.ts';

interface Asked {
  readonly actor: Actor;
  readonly session: Session | null;
}

export function forwardRoutes(load: () => Promise<ForwardService>): Route[] {
  const by = ({ actor, session }: Asked): Caller => ({ actor, session: signedIn(session) });
  return [
    bind(forwardApi.list, async ({ query, ...asked }) => (await load()).list(by(asked), query)),
    bind(forwardApi.options, async ({ query, ...asked }) => (await load()).options(by(asked), query.sn)),
    bind(forwardApi.add, async ({ body, ...asked }) => (await load()).add(by(asked), body)),
    bind(forwardApi.set, async ({ body, ...asked }) => ({ revision: (await load()).set(by(asked), body) })),
    bind(forwardApi.del, async ({ body, ...asked }) => (await load()).del(by(asked), [body.id].flat())),
    bind(forwardApi.start, async ({ body, ...asked }) => ({ port: (await load()).start(by(asked), body.id) })),
    bind(forwardApi.stop, async ({ body, ...asked }) => (await load()).stop(by(asked), body.id)),
    bind(forwardApi.setPorts, async ({ body, ...asked }) => (await load()).setPorts(by(asked), body)),
  ];
}
