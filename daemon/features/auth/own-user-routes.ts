import { userApi } from '../../contract/users.ts';
import { keepOpenDuring } from '../../http/keep-open.ts';
import { bind, type Route, signedIn } from '../../http/route.ts';
import { setSessionCookies } from './cookies.ts';
import { type AuthService, userToWire } from './service.ts';

/** What users change of their own. */
export function ownUserRoutes(auth: AuthService): Route[] {
  return [
    bind(userApi.update, async ({ body, session, actor, http }) => {
      const { 'old-password': old, 'old-passwd': oldPasswd, 'end-tokens': endTokens, ...rest } = body;
      const { challenge, proof, ...change } = rest;
      const agent = http.req.header('user-agent');
      const given = { ...change, old: { password: old, pass: oldPasswd, challenge, proof }, endTokens, agent };
      const answer = await keepOpenDuring(http.env, () => auth.changePassword(actor, signedIn(session), given));
      if (answer.token !== undefined) setSessionCookies(http, answer.token, userToWire(signedIn(session).user));
      return answer;
    }),
  ];
}
