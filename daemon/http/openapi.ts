/** The API description, generated from the contract's table. */
import * as z from 'zod/mini';
import { cookieNames } from '../contract/auth.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { results } from '../contract/result.ts';
import { version } from '../version.ts';
import { type BodyRoute, bodyType } from './body-route.ts';
import type { PlainRoute } from './plain-route.ts';

type Json = Record<string, unknown>;

/** Returns every call in `api`, whatever its grouping. */
export function endpointsOf(api: Readonly<Record<string, Readonly<Record<string, Endpoint>>>>): Endpoint[] {
  return Object.values(api).flatMap((group) => Object.values(group));
}

export function openApiRoute(
  endpoints: readonly Endpoint[],
  plainRoutes: () => readonly PlainRoute[],
  bodyRoutes: readonly BodyRoute[],
): PlainRoute {
  let text: string | undefined;
  return {
    path: '/api/openapi.json',
    scope: 'signedIn',
    summary: 'This description.',
    contentType: 'application/json',
    respond(c) {
      text ??= JSON.stringify(describeApi(endpoints, plainRoutes(), bodyRoutes));
      return c.body(text, 200, { 'content-type': 'application/json' });
    },
  };
}

export function describeApi(
  endpoints: readonly Endpoint[],
  plainRoutes: readonly PlainRoute[],
  bodyRoutes: readonly BodyRoute[],
): Json {
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: describeCall(endpoint) };
  }
  for (const route of plainRoutes) {
    const path = route.path.replace(namesInPath, '{$1}');
    paths[path] = { ...paths[path], get: describePlain(route) };
  }
  for (const route of bodyRoutes) paths[route.path] = { ...paths[route.path], put: describeBody(route) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Signalbox',
      version,
      description:
        'Reads are GET, writes are POST with JSON, files are PUT. Every answer holds `result`; 0 is success.',
    },
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: cookieNames.sid },
        bearer: { type: 'http', scheme: 'bearer' },
      },
      schemas: { Failure: failureSchema() },
    },
  };
}

const fileSchema = { schema: { type: 'string', format: 'binary' } };

function describeCall(endpoint: Endpoint): Json {
  return {
    operationId: operationId(endpoint),
    summary: endpoint.summary,
    tags: [endpoint.path.split('/')[2] ?? ''],
    'x-scope': endpoint.scope,
    ...(endpoint.needs && { 'x-needs': endpoint.needs }),
    security: security(endpoint.scope),
    ...(endpoint.query && { parameters: parametersOf(jsonSchema(endpoint.query, 'output')) }),
    ...(endpoint.body && {
      requestBody: { content: { 'application/json': { schema: jsonSchema(endpoint.body, 'input') } } },
    }),
    ...(endpoint.upload && {
      requestBody: { content: Object.fromEntries(endpoint.upload.types.map((type) => [type, fileSchema])) },
    }),
    responses: {
      200: {
        description: 'The outcome: the answer with result 0, or a failure.',
        content: {
          'application/json': {
            schema: { anyOf: [successSchema(endpoint), { $ref: '#/components/schemas/Failure' }] },
          },
        },
      },
    },
  };
}

const namesInPath = /:(\w+)/g;

function describePlain(route: PlainRoute): Json {
  return {
    operationId: `get${pascalCase(route.path)}`,
    summary: route.summary,
    'x-scope': route.scope,
    security: security(route.scope),
    parameters: [
      ...[...route.path.matchAll(namesInPath)].map(([, name]) => ({
        name,
        in: 'path',
        required: true,
        schema: { type: 'string' },
      })),
      ...textParameters('query', route.query),
    ],
    responses: { 200: { description: route.summary, content: { [route.contentType]: {} } } },
  };
}

function describeBody(route: BodyRoute): Json {
  return {
    operationId: `put${pascalCase(route.path)}`,
    summary: route.summary,
    tags: [route.path.split('/')[2] ?? ''],
    'x-scope': route.scope,
    security: security(route.scope),
    parameters: [...textParameters('query', route.query), ...textParameters('header', route.headers)],
    requestBody: { content: { [bodyType]: fileSchema } },
    responses: {
      200: { description: 'The body has arrived.', content: { 'application/json': {} } },
      default: {
        description: 'A failure.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
      },
    },
  };
}

function textParameters(place: 'query' | 'header', texts: Readonly<Record<string, string>> = {}): Json[] {
  const schema = { type: 'string' };
  return Object.entries(texts).map(([name, description]) => ({ name, in: place, description, schema }));
}

function security(scope: Endpoint['scope']): Json[] {
  return scope === 'public' ? [] : [{ session: [] }, { bearer: [] }];
}

function operationId({ method, path }: Endpoint): string {
  return method.toLowerCase() + pascalCase(path);
}

function pascalCase(path: string): string {
  const words = path.replace(/^\/(api\/)?/, '').split(/[^A-Za-z0-9]+/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function parametersOf(schema: Json): Json[] {
  const required = new Set((schema.required as string[] | undefined) ?? []);
  return Object.entries((schema.properties ?? {}) as Record<string, Json>).map(([name, property]) => ({
    name,
    in: 'query',
    required: required.has(name),
    schema: property,
  }));
}

function successSchema(endpoint: Endpoint): Json {
  const response = jsonSchema(endpoint.response, 'output');
  return {
    ...response,
    properties: { result: { const: 0 }, ...(response.properties as Json | undefined) },
    required: ['result', ...((response.required as string[] | undefined) ?? [])],
  };
}

/** Rules that are functions cannot be expressed in JSON Schema: the error describes them. */
function jsonSchema(schema: z.ZodMiniType, io: 'input' | 'output'): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  return json;
}

function failureSchema(): Json {
  const codes = Object.entries(results).map(([name, { code }]) => `${code} ${name}`);
  const field = { type: 'object', properties: { path: {}, rule: {}, message: {} } };
  return {
    type: 'object',
    required: ['result', 'message'],
    properties: {
      result: { type: 'integer', description: codes.join(', ') },
      message: { type: 'string' },
      params: { type: 'object', description: 'Values of the sentence, such as `port`.' },
      fields: { type: 'array', items: field, description: 'Which members of the request broke which rule.' },
    },
  };
}
