/**
 * A call of the HTTP API as data: one table says path, scope, what goes in and what comes out. The daemon binds handlers
 * to it, the console calls through it, the OpenAPI description and the permission walk are made from it.
 */
import type * as z from 'zod/mini';
import type { Permission } from './permission.ts';
import type { Need } from './variant.ts';

/**
 * Who may call. `public`: anybody. `signedIn`: any session. `admin`: members of the Admin group. A permission: whoever
 * holds it.
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
  Answer extends Schema = Schema,
> {
  readonly method: 'GET' | 'POST';
  readonly path: `/api/${string}`;
  readonly scope: Scope;
  /** Absent: every hub has it. Others answer 9 (unsupported). */
  readonly needs?: Need;
  /** One sentence for the API description. */
  readonly summary: string;
  readonly query: Query;
  readonly body: Body;
  /** What stands beside `result` in the answer. */
  readonly answer: Answer;
  readonly upload?: Upload;
}

interface Common<A> {
  scope: Scope;
  needs?: Need;
  summary: string;
  answer: A;
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

/** A write whose body is a file of one of these types; what it is for stands in the query. */
export function upload<A extends Schema, Q extends Schema>(
  path: `/api/${string}`,
  spec: Common<A> & { query: Q; upload: Upload },
): Endpoint<Q, undefined, A> & { readonly upload: Upload } {
  return { method: 'POST', path, query: spec.query, body: undefined, upload: spec.upload, ...pick(spec) };
}

function pick<A>({ scope, needs, summary, answer }: Common<A>): Common<A> {
  return { scope, ...(needs && { needs }), summary, answer };
}

type Output<S> = S extends Schema ? z.output<S> : undefined;
type Input<S> = S extends Schema ? z.input<S> : undefined;

export type QueryOf<E extends Endpoint> = Output<E['query']>;
export type BodyOf<E extends Endpoint> = Output<E['body']>;
export type QueryInput<E extends Endpoint> = Input<E['query']>;
export type BodyInput<E extends Endpoint> = Input<E['body']>;
export type AnswerOf<E extends Endpoint> = Output<E['answer']>;
