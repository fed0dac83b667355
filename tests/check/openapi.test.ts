/** Compares docs/openapi.json with the contract, and checks what the generators of clients need. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { api } from '../../daemon/contract/api.ts';
import { endpointsOf } from '../fixtures/endpoints.ts';
import type { Json } from '../openapi/components.ts';
import examples from '../openapi/examples.json';
import { faultsOf, nameOf, withoutExample } from '../openapi/whole-answers.ts';
import { read, root } from './source-files.ts';

/** A loaded machine takes several times as long to build and compile. */
setDefaultTimeout(60_000);

interface Operation {
  readonly tags: readonly string[];
  readonly parameters?: readonly Json[];
  readonly requestBody?: { readonly required: boolean; readonly content: Json };
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema: Json }> }>;
}
interface Description {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, Json>; readonly responses: Json };
}

const text = read('docs/openapi.json');
const description = JSON.parse(text) as Description;
const { schemas } = description.components;
const operations = new Map<string, Operation>(
  Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  ),
);
const operation = (name: string) => operations.get(name)!;

/** Calls back with every object of a JSON value, and of the components that it refers to. */
function walk(value: unknown, found: (object: Json) => void, seen = new Set<string>()): void {
  if (!(value instanceof Object)) return;
  if (!Array.isArray(value)) found(value as Json);
  for (const [key, member] of Object.entries(value)) {
    walk(member, found, seen);
    if (key === '$ref' && !seen.has(member)) walk(at(seen.add(member) && member), found, seen);
  }
}
function at(ref: string): unknown {
  const names = ref.replace('#/', '').split('/');
  return names.reduce<unknown>((from, name) => (from as Json | undefined)?.[name], description);
}

test('docs/openapi.json is what `make openapi` writes', async () => {
  // In a process of its own, because it loads the contract with its comments.
  const child = Bun.spawn([process.execPath, join(root, 'tests/openapi/write.ts'), '--print'], { stderr: 'inherit' });
  const current = await new Response(child.stdout).text();
  expect(current === text ? 'up to date' : 'run `make openapi`, and commit docs/openapi.json').toBe('up to date');
});

describe('the recorded examples', () => {
  const recorded: Record<string, { answer: unknown; body?: unknown }> = examples;

  test('are those of every call that a new hub can answer', () => {
    const names = endpointsOf(api).map(nameOf);
    expect([...Object.keys(recorded), ...withoutExample].toSorted()).toEqual(names.toSorted());
  });

  test.each(
    endpointsOf(api)
      .filter((endpoint) => nameOf(endpoint) in recorded)
      .map((one) => [nameOf(one), one] as const),
  )('%s has one that the contract allows; if not, run `make openapi-examples`', (name, endpoint) => {
    const { body, answer } = recorded[name]!;
    expect(faultsOf(endpoint, answer)).toEqual([]);
    if (body !== undefined) expect(endpoint.body?.safeParse(body).error).toBeUndefined();
  });
});

describe('the description', () => {
  test('refers to components that exist, and has none that are not used', () => {
    const used = new Set<string>();
    walk(description.paths, ({ $ref }) => typeof $ref === 'string' && used.add($ref));
    expect([...used].filter((ref) => at(ref) === undefined)).toEqual([]);
    expect(Object.keys(schemas).filter((name) => !used.has(`#/components/schemas/${name}`))).toEqual([]);
  });

  test.each(endpointsOf(api).map(({ method, path }) => `${method} ${path}`))(
    '%s tells success from failure by `result`',
    (name) => {
      const { oneOf } = operation(name).responses[200]!.content!['application/json']!.schema as { oneOf: Json[] };
      const [success, failure] = oneOf;
      const part = (success?.allOf as Json[] | undefined)?.[0] ?? success;
      expect(part).toMatchObject({
        required: expect.arrayContaining(['result']),
        properties: { result: { const: 0 } },
      });
      expect(failure).toEqual({ $ref: '#/components/schemas/Failure' });
    },
  );

  test('lists the codes of failures without that of success', () => {
    const { result } = schemas.Failure!.properties as Record<string, { enum: number[] }>;
    expect(result!.enum).not.toContain(0);
    expect(result!.enum).toContain(37);
  });

  test('lets answers get further members, and requires the bodies that calls need', () => {
    for (const [name, { responses }] of operations) {
      walk(responses, (object) => expect([name, object.additionalProperties]).not.toEqual([name, false]));
    }
    expect(operation('POST /api/channel/add').requestBody?.required).toBe(true);
    expect(operation('POST /api/alarm/webhook/test').requestBody?.required).toBe(false);
  });

  test('shows comments, units, codes, defaults and rules that are functions', () => {
    expect(schemas.Channel!.properties).toMatchObject({
      kbps: { type: 'number', description: expect.stringContaining('Bitrate of the input') },
      id: { type: 'integer' },
    });
    expect(schemas.ConnectionState).toMatchObject({
      ...{ type: 'integer', enum: expect.arrayContaining([0, 10, 28]) },
      description: expect.stringContaining('10 connected'),
    });
    expect(schemas.ChannelName).toMatchObject({
      ...{ minLength: 1, maxLength: 63, description: expect.stringContaining('Letters and digits of any script') },
    });
    expect(schemas.StreamKey).toMatchObject({ pattern: expect.any(String) });
    expect(schemas.SettingsChange).toMatchObject({ oneOf: expect.arrayContaining([{ required: ['rtmp'] }]) });
    const { parameters } = operation('GET /api/channel/query');
    expect(parameters).toContainEqual({
      ...{ name: 'id', in: 'query', required: true, schema: { type: 'integer' } },
      example: expect.any(Number),
    });
  });

  test('has patterns that regular expressions of other languages take', () => {
    const patterns = new Set<string>();
    walk(description.paths, ({ pattern }) => typeof pattern === 'string' && patterns.add(pattern));
    expect(patterns.size).toBeGreaterThan(10);
    for (const pattern of patterns) {
      expect(() => new RegExp(pattern)).not.toThrow();
      expect([pattern, /\\p\{|\(\?</.test(pattern)]).toEqual([pattern, false]);
    }
  });

  test('has an example of the request and the answer', () => {
    const { requestBody, responses } = operation('POST /api/channel/add');
    const json = expect.objectContaining({ example: expect.anything() });
    expect([requestBody?.content, responses[200]?.content]).toEqual([
      { 'application/json': json },
      { 'application/json': json },
    ]);
  });

  test('has a schema for the messages of each event topic', () => {
    const { schema } = operation('GET /api/events').responses[200]!.content!['text/event-stream']!;
    const topics = (schema as { oneOf: { $ref: string }[] }).oneOf.map(({ $ref }) => at($ref));
    expect(topics).toContainEqual(
      expect.objectContaining({ properties: expect.objectContaining({ topic: { const: 'channels' } }) }),
    );
  });

  test('describes every tag', () => {
    const described = description.tags.map(({ name }) => name);
    for (const { tags } of operations.values()) expect(described).toEqual(expect.arrayContaining([...tags]));
  });
});
