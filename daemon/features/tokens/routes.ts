import { tokenApi } from '../../contract/tokens.ts';
import { bind, type Route, signedIn } from '../../http/route.ts';
import type { TokenService } from './service.ts';

export function tokenRoutes(tokens: TokenService): Route[] {
  return [
    bind(tokenApi.list, ({ session }) => ({ list: tokens.list(signedIn(session)) })),
    bind(tokenApi.add, ({ session, actor, body }) => tokens.add(actor, signedIn(session), body)),
    bind(tokenApi.del, ({ session, actor, body }) => {
      tokens.del(actor, signedIn(session), [body.id].flat());
      return {};
    }),
  ];
}
