import { tokenApi } from '../../contract/tokens.ts';
import { keepOpenDuring } from '../../http/keep-open.ts';
import { bind, type Route, signedIn } from '../../http/route.ts';
import type { AuthService } from '../auth/service.ts';
import type { TokenService } from './service.ts';

export function tokenRoutes(tokens: TokenService, auth: Pick<AuthService, 'confirm'>): Route[] {
  return [
    bind(tokenApi.list, ({ session }) => ({ list: tokens.list(signedIn(session)) })),
    bind(tokenApi.add, async ({ session, actor, body, http }) => {
      const { pass, password, challenge, proof, ...token } = body;
      const given = { pass, password, challenge, proof };
      await keepOpenDuring(http.env, () => auth.confirm(actor, signedIn(session), given, 'token.add'));
      return tokens.add(actor, signedIn(session), token);
    }),
    bind(tokenApi.del, ({ session, actor, body }) => tokens.del(actor, signedIn(session), [body.id].flat())),
  ];
}
