/**
 * A call with its schemas. The daemon binds handlers to it, the console's client is typed by it, and the OpenAPI
 * description and the permission tests are built from it.
 */
import * as z from 'zod/mini';
import type { Call } from './calls.ts';
import type { ResultName } from './result.ts';
import type { Need } from './variant.ts';

type Schema = z.ZodMiniType;

/** As published: the file is the part `file` of a form. */
export const formType = 'multipart/form-data';

/** A body that is a file instead of JSON. */
export interface Upload {
  readonly types: readonly string[];
  readonly maxBytes: number;
  /** The result for a larger file; `tooLarge` if absent. */
  readonly tooLarge?: ResultName;
  /** The handler gets the part `file` of the form as it arrives; `calls.ts` says so with `hasLargeBody`, too. */
  readonly isStreamed?: true;
}

/** What a noun adds to a row of `calls`. */
interface Specification {
  /** One sentence for the API description. */
  readonly summary: string;
  /** What the hub must have. Hubs without it return 9 (unsupported); absent if every hub supports the call. */
  readonly needs?: Need;
  /** Query values arrive as text: use `z.coerce` for numbers. */
  readonly query?: Schema;
  /** The JSON of a write. */
  readonly body?: Schema;
  /** Bytes that the JSON may have; by default 256 KiB. */
  readonly maxBytes?: number;
  readonly upload?: Upload;
  /** A response that may be sent back as the body: what the body does not know of it is read-only, and ignored. */
  readonly shown?: Schema;
  /** Members of the response besides `result`; none if absent. */
  readonly response?: Schema;
}

export interface Endpoint<
  Query extends Schema | undefined = Schema | undefined,
  Body extends Schema | undefined = Schema | undefined,
  ResponseSchema extends Schema = Schema,
> extends Call,
    Omit<Specification, 'query' | 'body' | 'response'> {
  readonly query: Query;
  readonly body: Body;
  readonly response: ResponseSchema;
}

const noMembers = z.object({});

type SchemaOf<S, Name extends string, Default> = S extends { readonly [N in Name]: infer T extends Schema }
  ? T
  : Default;
type EndpointOf<S> = Endpoint<
  SchemaOf<S, 'query', undefined>,
  SchemaOf<S, 'body', undefined>,
  SchemaOf<S, 'response', typeof noMembers>
> &
  Pick<S, Extract<keyof S, 'upload'>>;

/** Adds the schemas of a noun's calls. */
export function endpoints<Name extends string, S extends Record<Name, Specification>>(
  calls: Readonly<Record<Name, Call>>,
  specifications: S,
): { readonly [N in Name]: EndpointOf<S[N]> } {
  const rows = Object.entries<Call>(calls).map(([name, call]) => {
    const { query, body, response = noMembers, ...rest } = specifications[name as Name];
    return [name, { ...rest, query, body, response, ...call }];
  });
  return Object.fromEntries(rows);
}

type Output<S> = S extends Schema ? z.output<S> : undefined;
type Input<S> = S extends Schema ? z.input<S> : undefined;

export type QueryOf<E extends Endpoint> = Output<E['query']>;
export type BodyOf<E extends Endpoint> = Output<E['body']>;
export type QueryInput<E extends Endpoint> = Input<E['query']>;
export type BodyInput<E extends Endpoint> = Input<E['body']>;
export type ResponseOf<E extends Endpoint> = Output<E['response']>;
