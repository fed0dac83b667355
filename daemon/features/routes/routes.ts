import { routeApi } from '../../contract/routes.ts';
import { type Actor, bind, type Route, type Session, signedIn } from '../../http/route.ts';
import type { Caller, RouteService } from './service.ts';

export function routeRoutes(routes: RouteService): Route[] {
  const by = ({ actor, session }: { actor: Actor; session: Session | null }): Caller => {
    return { actor, session: signedIn(session) };
  };
  return [
    bind(routeApi.list, ({ query }) => routes.list(query)),
    bind(routeApi.add, ({ body, ...asked }) => routes.add(by(asked), body)),
    bind(routeApi.set, ({ body, ...asked }) => routes.set(by(asked), body)),
    bind(routeApi.del, ({ body, ...asked }) => routes.del(by(asked), body)),
  ];
}
