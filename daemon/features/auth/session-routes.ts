import { sessionsApi } from '../../contract/sessions.ts';
import { bind, type Route, signedIn } from '../../http/route.ts';
import type { AuthService } from './service.ts';

export function sessionRoutes(auth: AuthService): Route[] {
  return [
    bind(sessionsApi.list, ({ session }) => ({ list: auth.list(signedIn(session)) })),
    bind(sessionsApi.end, ({ session, actor, body }) =>
      auth.end(actor, signedIn(session), 'id' in body ? body : 'others'),
    ),
    bind(sessionsApi.stay, ({ session, actor, body }) => auth.setStays(actor, signedIn(session), body.stay)),
  ];
}
