import { type Context, Hono } from 'hono';
import type { Call, Scope } from '../contract/calls.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { unbuiltCalls } from '../contract/unbuilt-calls.ts';
import { meets, type Variant } from '../contract/variant.ts';
import { HubError } from '../lib/hub-error.ts';
import type { Log } from '../lib/log.ts';
import { accessFor } from './access.ts';
import { actorOf } from './actor.ts';
import { readFile, readJson } from './body.ts';
import { type BodyRoute, withStatus } from './body-route.ts';
import { invalidArgument } from './faults.ts';
import { bodyLimit } from './middleware/body-limit.ts';
import { compress } from './middleware/compress.ts';
import { jsonType, respondToErrors, respondToUnknownPath } from './middleware/errors.ts';
import { httpsOnly } from './middleware/https-only.ts';
import { knownHost } from './middleware/known-host.ts';
import { requestId } from './middleware/request-id.ts';
import { sameOrigin } from './middleware/same-origin.ts';
import { type HstsState, securityHeaders } from './middleware/security-headers.ts';
import { type Gate, identify, proofOf } from './middleware/session.ts';
import { accessOf, type ObjectAccess } from './object-access.ts';
import { withoutOwnChanges } from './own-changes.ts';
import { isFromThisMachine } from './own-machine.ts';
import type { PlainRoute } from './plain-route.ts';
import type { PrefixRoute } from './prefix-route.ts';
import { queryOf } from './query.ts';
import type { HubEnv, LazyRoutes, Route } from './route.ts';
import { hasReadOnly, unknownMembers } from './unknown-members.ts';

interface AppOptions {
  readonly log: Log;
  readonly gate: Gate;
  readonly variant: Variant;
  readonly access: ObjectAccess;
  /** Names of the hub, besides its addresses, its host name and private names. */
  readonly hosts: readonly string[];
  /** The port that HTTP requests are redirected to; null while HTTP is served. */
  readonly onlyHttpsPort: () => number | null;
  readonly hsts: () => HstsState;
  readonly routes: readonly LazyRoutes[];
  readonly plainRoutes: readonly PlainRoute[];
  readonly bodyRoutes: readonly BodyRoute[];
  readonly prefixRoutes: readonly PrefixRoute[];
  /** Resolves when the engine has applied all changes, or after a time limit. */
  readonly settled: () => Promise<void>;
  /** Serves every other path outside /api/; null results in 404. */
  readonly files: ((context: Context<HubEnv>) => Promise<Response>) | null;
}

/** Calls that work before setup is complete. */
const openBeforeSetup: ReadonlySet<string> = new Set(['/api/setup']);

export type App = Hono<HubEnv>;

export function createApp(options: AppOptions): App {
  const { log, gate, variant, access, hosts, routes, plainRoutes, bodyRoutes, settled, files } = options;
  const app: App = new Hono<HubEnv>();
  app.onError(respondToErrors(log));
  app.notFound(respondToUnknownPath(methodsOf(options)));
  app.use(
    requestId(log),
    compress(),
    securityHeaders(options.hsts),
    bodyLimit([
      ...bodyRoutes.map(({ path }) => ({ method: 'PUT', path })),
      ...routes.flatMap(({ calls }) => calls).filter(({ hasLargeBody }) => hasLargeBody),
    ]),
    knownHost(hosts),
    httpsOnly(options.onlyHttpsPort),
    sameOrigin(),
  );
  for (const { calls, load } of routes) {
    for (const call of calls) {
      app.on(call.method, call.path, identify(gate, { isPassive: false }), async (c) => {
        if (!openBeforeSetup.has(call.path)) refuseBeforeSetup(gate, 200);
        refuseWithoutAccess(c, call.scope);
        return respondToCall(c, routeOf(call, await load()), { variant, access, settled });
      });
    }
  }
  for (const { method, path } of unbuiltCalls) {
    app.on(method, path, identify(gate, { isPassive: false }), (c) => {
      refuseBeforeSetup(gate, 200);
      refuseWithoutAccess(c, 'signedIn');
      throw new HubError('notImplemented', `this version does not support ${path}`);
    });
  }
  for (const route of plainRoutes) {
    app.get(route.path, identify(gate, { isPassive: route.isPassive === true }), (c) => respondPlain(c, route, gate));
  }
  for (const route of bodyRoutes) {
    app.put(route.path, identify(gate, { isPassive: false }), (c) => respondToBody(c, route, gate));
  }
  for (const route of options.prefixRoutes) {
    const paths = [route.prefix, `${route.prefix}/*`];
    app.on(['GET', 'POST'], paths, identify(gate, { isPassive: false }), (c) => respondToPrefix(c, route, gate));
  }
  if (files !== null) app.get('*', (c) => (c.req.path.startsWith('/api/') ? c.notFound() : files(c)));
  return app;
}

function methodsOf({ routes, plainRoutes, bodyRoutes }: AppOptions): (path: string) => readonly string[] {
  const known = new Map<string, string[]>();
  const all = [
    ...routes.flatMap(({ calls }) => calls),
    ...unbuiltCalls,
    ...plainRoutes.map(({ path }) => ({ method: 'GET', path })),
    ...bodyRoutes.map(({ path }) => ({ method: 'PUT', path })),
  ];
  for (const { method, path } of all) known.set(path, [...(known.get(path) ?? []), method]);
  return (path) => known.get(path) ?? [];
}

function refuseBeforeSetup(gate: Gate, http: number): void {
  if (!gate.isSetUp())
    throw new HubError('notInitialized', 'the hub is not set up yet: set the password of Admin first', { http });
}

function refuseWithoutAccess(c: Context<HubEnv>, scope: Scope): void {
  const access = accessFor(c.var.session, scope);
  if (access === 'notLoggedIn') {
    const reason = c.var.endReason;
    throw new HubError('notLoggedIn', 'sign in first', reason === undefined ? {} : { params: { reason } });
  }
  if (access === 'notPermitted') throw new HubError('notPermitted', `this requires the permission ${scope}`);
}

function routeOf({ method, path }: Call, routes: readonly Route[]): Route {
  const route = routes.find(({ endpoint }) => endpoint.path === path && endpoint.method === method);
  if (route === undefined) throw new Error(`${method} ${path} is not bound`);
  return route;
}

async function respondToCall(
  c: Context<HubEnv>,
  { endpoint, handle }: Route,
  { variant, access, settled }: Pick<AppOptions, 'variant' | 'access' | 'settled'>,
): Promise<Response> {
  if (!meets(variant, endpoint.needs))
    throw new HubError('unsupported', `this hub does not have the feature ${endpoint.needs}`);
  const hasJson = endpoint.method === 'POST' && !endpoint.upload;
  const { session } = c.var;
  const context = {
    ...{ session, http: c, requestId: c.var.requestId, actor: actorOf(c), objects: accessOf(access, session) },
    query: check(endpoint.query, queryOf(c.req.url)),
    file: (endpoint.upload && (await readFile(c.req.raw, endpoint.upload))) as undefined,
  };
  const sent = hasJson
    ? checkBody(endpoint, (await readJson(c.req.raw, endpoint.maxBytes)) ?? {})
    : { body: undefined, isEcho: false };
  const answer = await withoutOwnChanges({ ...sent, user: session?.user.name }, async (body) =>
    handle({ ...context, body }),
  );
  // A script may add a channel and start its encoder immediately: by then the engine must know the new key.
  if (endpoint.method === 'POST') await settled();
  return c.json({ result: 0, ...(answer as object) }, 200, jsonType);
}

function check(schema: Endpoint['query'], input: unknown): unknown {
  if (schema === undefined) return undefined;
  const checked = schema.safeParse(input);
  if (!checked.success) throw invalidArgument(checked.error.issues, input, schema);
  return checked.data;
}

function checkBody(endpoint: Endpoint, body: unknown) {
  if (endpoint.body === undefined) return { body: undefined, isEcho: false };
  const checked = check(endpoint.body, body);
  const unknown = unknownMembers(body, checked, endpoint.shown);
  if (unknown.length > 0) throw invalidArgument(unknown, body, endpoint.body);
  return { body: checked, isEcho: hasReadOnly(body, checked, endpoint.shown) };
}

async function respondPlain(c: Context<HubEnv>, route: PlainRoute, gate: Gate): Promise<Response> {
  const isTrusted = route.isOpenToLocalhost && isFromThisMachine(c);
  if (!isTrusted) {
    if (!route.isOpenBeforeSetup) refuseBeforeSetup(gate, 503);
    const access = accessFor(c.var.session, route.scope);
    if (access === 'notLoggedIn') throw new HubError('notLoggedIn', 'sign in first', { http: 401 });
    if (access === 'notPermitted')
      throw new HubError('notPermitted', `this requires the permission ${route.scope}`, { http: 403 });
  }
  return route.respond(c);
}

async function respondToPrefix(c: Context<HubEnv>, route: PrefixRoute, gate: Gate): Promise<Response> {
  try {
    refuseBeforeSetup(gate, 200);
    refuseWithoutAccess(c, route.scope);
    return c.json(await route.respond(c), 200, jsonType);
  } catch (error) {
    if (!(error instanceof HubError) || error.http !== 200) throw error;
    const body = error.body();
    return c.json({ ...body, [route.field]: body.result }, 200, jsonType);
  }
}

async function respondToBody(c: Context<HubEnv>, route: BodyRoute, gate: Gate): Promise<Response> {
  try {
    refuseBeforeSetup(gate, 503);
    refuseWithoutAccess(c, route.scope);
    const sender = () => gate.identify(proofOf(c, { isPassive: false }));
    return c.json({ result: 0, ...(await route.receive(c, sender)) }, 200, jsonType);
  } catch (error) {
    throw withStatus(error);
  }
}
