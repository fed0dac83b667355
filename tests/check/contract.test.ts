import { describe, expect, test } from 'bun:test';
import { api } from '../../daemon/contract/api.ts';
import type { Endpoint } from '../../daemon/contract/endpoint.ts';
import { eventTopics } from '../../daemon/contract/events.ts';
import { permissions } from '../../daemon/contract/permission.ts';
import { results } from '../../daemon/contract/result.ts';

const endpoints = Object.values(api).flatMap((noun) => Object.values<Endpoint>(noun));
const scopes: readonly string[] = ['public', 'signedIn', 'admin', ...permissions];

describe('the table of calls', () => {
  test('contains each method and path once', () => {
    expect(repeated(endpoints.map(({ method, path }) => `${method} ${path}`))).toEqual([]);
  });

  test.each(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
    '%s has a path in the published style, a scope and a summary',
    (_, { path, scope, summary }) => {
      expect(path).toMatch(/^\/api(\/[a-z]+(-[a-z]+)*)+$/);
      expect(scopes).toContain(scope);
      expect(summary).toMatch(/^[A-Z].*\.$/);
    },
  );

  test('uses GET with a query for reads, and POST with a body, which may be a file, for writes', () => {
    const crossed = endpoints.filter(({ method, query, body, upload }) =>
      upload ? method === 'GET' || body !== undefined : (method === 'GET' ? body : query) !== undefined,
    );
    expect(crossed).toEqual([]);
  });

  test('leaves `result` out of responses, because another layer adds it', () => {
    const doubled = endpoints.filter(
      ({ response }) => 'shape' in response.def && 'result' in Object(response.def.shape),
    );
    expect(doubled.map(({ path }) => path)).toEqual([]);
  });
});

test('each result code exists once', () => {
  expect(repeated(Object.values(results).map(({ code }) => String(code)))).toEqual([]);
});

test('every event topic has a scope', () => {
  for (const scope of Object.values(eventTopics)) expect(scopes).toContain(scope);
});

function repeated(names: readonly string[]): string[] {
  return names.filter((name, position) => names.indexOf(name) !== position);
}
