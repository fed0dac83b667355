/**
 * HTTP API calls as data: one table of path, scope, request and response. The daemon binds handlers to it, the console
 * calls through it, and the OpenAPI description and the permission tests are built from it.
 */
import type * as z from 'zod/mini';
import type { Permission } from './permission.ts';
import type { Need } from './variant.ts';

/**
 * Who may call. `public`: everyone. `signedIn`: any session. `admin`: members of the Admin group. A permission: users
 * who hold it.
 */
export type Scope = 'public' | 'signedIn' | 'admin' | Permission;

type Schema = z.ZodMiniType;

/** A body that is a file instead of JSON. */
export interface Upload {
  readonly types: readonly string[];
  readonly maxBytes: number;
}

export interface Endpoint<
  Query extends Schema | undefined = Schema | undefined,
  Body extends Schema | undefined = Schema | undefined,
  ResponseSchema extends Schema = Schema,
> {
  readonly method: 'GET' | 'POST';
  readonly path: `/api/${string}`;
  readonly scope: Scope;
  /** What the hub must have. Hubs without it return 9 (unsupported); absent if every hub supports the call. */
  readonly needs?: Need;
  /** One sentence for the API description. */
  readonly summary: string;
  readonly query: Query;
  readonly body: Body;
  /** Members of the response besides `result`. */
  readonly response: ResponseSchema;
  readonly upload?: Upload;
}

interface Common<A> {
  scope: Scope;
  needs?: Need;
  summary: string;
  response: A;
}

/** A read. Query values arrive as text: use `z.coerce` for numbers. */
export function get<A extends Schema, Q extends Schema | undefined = undefined>(
  path: `/api/${string}`,
  spec: Common<A> & { query?: Q },
): Endpoint<Q, undefined, A> {
  return { method: 'GET', path, query: spec.query as Q, body: undefined, ...pick(spec) };
}

/** A write. Its body is JSON; its origin is checked. */
export function post<A extends Schema, B extends Schema | undefined = undefined>(
  path: `/api/${string}`,
  spec: Common<A> & { body?: B },
): Endpoint<undefined, B, A> {
  return { method: 'POST', path, query: undefined, body: spec.body as B, ...pick(spec) };
}

/** A write whose body is a file of one of these types; its parameters are in the query. */
export function upload<A extends Schema, Q extends Schema>(
  path: `/api/${string}`,
  spec: Common<A> & { query: Q; upload: Upload },
): Endpoint<Q, undefined, A> & { readonly upload: Upload } {
  return { method: 'POST', path, query: spec.query, body: undefined, upload: spec.upload, ...pick(spec) };
}

function pick<A>({ scope, needs, summary, response }: Common<A>): Common<A> {
  return { scope, ...(needs && { needs }), summary, response };
}

type Output<S> = S extends Schema ? z.output<S> : undefined;
type Input<S> = S extends Schema ? z.input<S> : undefined;

export type QueryOf<E extends Endpoint> = Output<E['query']>;
export type BodyOf<E extends Endpoint> = Output<E['body']>;
export type QueryInput<E extends Endpoint> = Input<E['query']>;
export type BodyInput<E extends Endpoint> = Input<E['body']>;
export type ResponseOf<E extends Endpoint> = Output<E['response']>;
