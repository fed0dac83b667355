/** Binds a call of the contract to the function that answers it. What a feature needs to know about HTTP is here. */
import type { Context } from 'hono';
import type { EndReason } from '../contract/auth.ts';
import type { AnswerOf, BodyOf, Endpoint, QueryOf, Upload } from '../contract/endpoint.ts';
import { HubError } from '../lib/hub-error.ts';

/** Who is signed in. */
export interface Session {
  readonly user: {
    readonly id: number;
    readonly name: string;
    readonly groupName: string;
    readonly permission: number;
    readonly type: number;
  };
  /** Hash of the session string, or `token:` and a number; names the session, opens nothing. */
  readonly idHash: string;
  /** The access token in place of a sign-in. */
  readonly token?: { readonly id: number; readonly name: string; readonly expiresAt: number | null };
}

/** Who did it and from where, for the operation log. */
export interface Actor {
  /** '' before anybody signed in. */
  readonly name: string;
  readonly ip: string;
  /** That the call came over TLS. */
  readonly isSecure?: true;
  /** Name of the access token it was done with. */
  readonly via?: string;
  /** With one: the most that it may hand out, which is what it may do itself. */
  readonly mostRights?: number;
}

/** What the listener knows about the connection a request came over. */
export interface Connection {
  /** The address of the peer, or of the client that a trusted proxy names (lib/caller.ts). */
  readonly ip: string;
  /** Whether the caller used TLS. */
  readonly isSecure: boolean;
  /** Takes the idle limit off this response, for streams. */
  keepOpen(): void;
}

/** What the middleware hands on within one request. */
interface HubVariables {
  requestId: string;
  session: Session | null;
  /** Of a session that is no longer open. */
  endReason: EndReason | undefined;
}
export type HubEnv = { Bindings: Connection; Variables: HubVariables };

export interface RouteContext<E extends Endpoint> {
  readonly query: QueryOf<E>;
  readonly body: BodyOf<E>;
  /** Of a call whose body is one. */
  readonly file: E extends { readonly upload: Upload } ? Uint8Array : undefined;
  /** Null only where the scope is `public`. */
  readonly session: Session | null;
  readonly actor: Actor;
  readonly requestId: string;
  /** For what the contract cannot say: cookies, the connection. */
  readonly http: Context<HubEnv>;
}

export type Handler<E extends Endpoint> = (context: RouteContext<E>) => AnswerOf<E> | Promise<AnswerOf<E>>;

export interface Route {
  readonly endpoint: Endpoint;
  /** Checks what came in against the contract, then answers without `result`. */
  readonly handle: Handler<Endpoint>;
}

/** The handler is typed by its endpoint; query and body are checked before it runs (see app.ts). */
export function bind<E extends Endpoint>(endpoint: E, handler: Handler<E>): Route {
  return { endpoint, handle: handler as unknown as Handler<Endpoint> };
}

/** For calls whose scope is not `public`. */
export function signedIn(session: Session | null): Session {
  if (session === null) throw new HubError('notLoggedIn', 'sign in first');
  return session;
}
