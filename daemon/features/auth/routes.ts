import { authApi } from '../../contract/auth.ts';
import type { Language } from '../../contract/rules.ts';
import type { Variant } from '../../contract/variant.ts';
import { keepOpenDuring } from '../../http/keep-open.ts';
import { refuseForeignPage } from '../../http/middleware/same-origin.ts';
import { isFromThisMachine } from '../../http/own-machine.ts';
import { bind, type Route, type RouteContext, signedIn } from '../../http/route.ts';
import type { UserService } from '../users/service.ts';
import { clearSessionCookies, setSessionCookies } from './cookies.ts';
import { type AuthService, userToWire } from './service.ts';

type Logout = typeof authApi.logout | typeof authApi.logoutByGet;

interface AuthRoutesOptions {
  readonly auth: AuthService;
  readonly users: UserService;
  readonly variant: Variant;
  /** Language of the pages before sign-in. */
  readonly language: () => Language;
  readonly hubName: () => string;
}

export function authRoutes({ auth, users, variant, language, hubName }: AuthRoutesOptions): Route[] {
  const logout = ({ http, actor, session }: Pick<RouteContext<Logout>, 'http' | 'actor' | 'session'>) => {
    if (session !== null) auth.logout(actor, session);
    clearSessionCookies(http);
  };
  return [
    bind(authApi.challenge, ({ body, actor, session }) => ({ challenge: auth.challenge(actor, session, body.id) })),
    bind(authApi.login, async ({ body, actor, session, http }) => {
      const { id: name, ...given } = body;
      const agent = http.req.header('user-agent');
      // An attacker who guesses is delayed for longer than the idle timeout of a connection.
      const { token, user } = await keepOpenDuring(http.env, () =>
        auth.login(actor, session, { name, ...given, agent }),
      );
      setSessionCookies(http, token, user);
      return { 'is-hardware': variant.isHardware, token, user };
    }),
    bind(authApi.logout, logout),
    bind(authApi.logoutByGet, (of) => {
      if (of.session !== null) refuseForeignPage(of.http);
      logout(of);
    }),
    bind(authApi.session, ({ session }) => ({
      user: userToWire(signedIn(session).user),
      'is-hardware': variant.isHardware,
      'feature-support': variant.features,
      'expires-in': auth.expiresIn(signedIn(session)),
      stays: auth.stays(signedIn(session)),
    })),
    bind(authApi.setup, ({ body, actor, http }) =>
      keepOpenDuring(http.env, () => auth.setUp(actor, { ...body, needsCode: !isFromThisMachine(http) })),
    ),
    bind(authApi.setupState, ({ http }) => {
      const needed = !users.isSetUp();
      return { needed, 'needs-code': needed && !isFromThisMachine(http), language: language(), name: hubName() };
    }),
  ];
}
