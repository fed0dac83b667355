/** Binds a call of the contract to its handler. Contains all that a feature needs to know about HTTP. */
import type { Context } from 'hono';
import type { EndReason } from '../contract/auth.ts';
import type { Call } from '../contract/calls.ts';
import type { BodyOf, Endpoint, QueryOf, ResponseOf, Upload } from '../contract/endpoint.ts';
import { HubError } from '../lib/hub-error.ts';
import type { ConnectionEnds } from '../lib/local-end.ts';
import type { FormFile } from './form-file.ts';
import type { CallerAccess } from './object-access.ts';

/** A signed-in caller. */
export interface Session {
  readonly user: {
    readonly id: number;
    readonly name: string;
    readonly groupId: number;
    readonly groupName: string;
    readonly permission: number;
    readonly type: number;
  };
  /** Hash of the session token, or `token:` and a number; identifies the session, does not grant access. */
  readonly idHash: string;
  /** The access token used instead of a sign-in. */
  readonly token?: { readonly id: number; readonly name: string; readonly expiresAt: number | null };
}

/** The user and address of an action, for the operation log. */
export interface Actor {
  /** '' before sign-in. */
  readonly name: string;
  readonly ip: string;
  /** Set if the call was made over TLS. */
  readonly isSecure?: true;
  /** The hub's certificate on the connection of the call, in PEM; absent without TLS. */
  readonly certificate?: string;
  /** Name of the access token that was used. */
  readonly via?: string;
  /** With an access token: the permissions it may grant, which are its own. */
  readonly maxPermissions?: number;
}

/** Properties of the connection that the listener knows. */
export interface Connection {
  /** The address of the peer, or of the client that a trusted proxy names (lib/caller.ts). */
  readonly ip: string;
  /** Whether the caller used TLS. */
  readonly isSecure: boolean;
  /** Where the connection comes from and arrives; absent in tests. */
  readonly ends?: ConnectionEnds;
  /** The hub's certificate on this connection, in PEM; absent without TLS. */
  readonly certificate?: string;
  /** Sets the idle timeout of this connection, at most 255; by default disables it, for streams. */
  keepOpen(seconds?: number): void;
}

/** Values that the middleware passes on within one request. */
interface HubVariables {
  requestId: string;
  session: Session | null;
  /** For a session that has ended. */
  endReason: EndReason | undefined;
}
export type HubEnv = { Bindings: Connection; Variables: HubVariables };

export interface RouteContext<E extends Endpoint> {
  readonly query: QueryOf<E>;
  readonly body: BodyOf<E>;
  /** For a call whose body is a file. */
  readonly file: E extends { readonly upload: { readonly isStreamed: true } }
    ? FormFile
    : E extends { readonly upload: Upload }
      ? Uint8Array
      : undefined;
  /** Null only if the scope is `public`. */
  readonly session: Session | null;
  /** What the caller may see and do, object by object. */
  readonly objects: CallerAccess;
  readonly actor: Actor;
  readonly requestId: string;
  /** For what the contract does not cover: cookies, the connection. */
  readonly http: Context<HubEnv>;
}

type Responder<E extends Endpoint> = (context: RouteContext<E>) => ResponseOf<E> | Promise<ResponseOf<E>>;
/** A call whose response has no members but `result` needs no return value. */
export type Handler<E extends Endpoint> =
  ResponseOf<E> extends Record<string, never>
    ? Responder<E> | ((context: RouteContext<E>) => void | Promise<void>)
    : Responder<E>;

export interface Route {
  readonly endpoint: Endpoint;
  /** Receives validated input; returns the response without `result`, or undefined if it has no other members. */
  readonly handle: Handler<Endpoint>;
}

/** The handler is typed by its endpoint; query and body are checked before it runs (see app.ts). */
export function bind<E extends Endpoint>(endpoint: E, handler: Handler<E>): Route {
  return { endpoint, handle: handler as unknown as Handler<Endpoint> };
}

/** The calls of a noun. Their schemas and handlers are loaded with the first of them: most hubs need few nouns. */
export interface LazyRoutes {
  readonly calls: readonly Call[];
  /** Returns the route of each call. */
  readonly load: () => Promise<readonly Route[]>;
}

/** `calls` is the noun's part of `contract/calls.ts`, `load` imports the file that binds all of them. */
export function lazyRoutes(calls: Readonly<Record<string, Call>>, load: LazyRoutes['load']): LazyRoutes {
  let loaded: ReturnType<typeof load> | undefined;
  return {
    calls: Object.values(calls),
    load() {
      loaded ??= load();
      return loaded;
    },
  };
}

/** For calls whose scope is not `public`. */
export function signedIn(session: Session | null): Session {
  if (session === null) throw new HubError('notLoggedIn', 'sign in first');
  return session;
}
