/** Other programs read docs/openapi.json: a linter with a validator of examples, and a generator of TypeScript clients. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConfig, lint } from '@redocly/openapi-core';
import openapiTypes from 'openapi-typescript';
import { read, root } from './source-files.ts';

setDefaultTimeout(30_000);

const folder = mkdtempSync(join(tmpdir(), 'sb-openapi-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('it keeps the recommended rules of Redocly, and its examples are as its schemas say', async () => {
  const config = await createConfig({
    extends: ['recommended'],
    // The path of the web page of a device ends with a slash, as published.
    rules: { 'no-invalid-media-type-examples': 'error', 'no-path-trailing-slash': 'off' },
  });
  const problems = await lint({ ref: join(root, 'docs/openapi.json'), config });
  const found = problems.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`);
  expect(found).toEqual([]);
});

/** Each error that is expected here would be one of the types: TypeScript reports an expectation that is not met. */
const client = `
import type { paths } from './hub.d.ts';

type Answer<Path extends keyof paths, Method extends keyof paths[Path]> =
  paths[Path][Method] extends { responses: { 200: { content: { 'application/json': infer A } } } } ? A : never;
type Body<Path extends keyof paths, Method extends keyof paths[Path]> =
  paths[Path][Method] extends { requestBody: { content: { 'application/json': infer B } } } ? B : never;

export function tokenOf(answer: Answer<'/api/login', 'post'>): string {
  // @ts-expect-error the answer may be a failure
  const early: string = answer.token;
  if (answer.result === 0) return answer.token;
  if (answer.result === 39) return 'wrong password: ' + answer.message + (answer.fields?.[0]?.rule ?? '');
  return early;
}

export function isLive(answer: Answer<'/api/channel/query', 'get'>): boolean {
  if (answer.result !== 0) throw new Error(answer.message);
  const state: 'live' | 'slate' | 'disabled' | 'waiting' | 'stale' | 'failed' | 'engineDown' = answer.state;
  const rate: number = answer.input.kbps;
  return state === 'live' && answer.input['conn-state'] === 10 && rate > 0;
}

export const added: Body<'/api/channel/add', 'post'> = { name: 'Studio', config: { 'push-key': 'a-long-key' } };
// @ts-expect-error a channel has a name
export const nameless: Body<'/api/channel/add', 'post'> = {};

type Message = paths['/api/events']['get']['responses'][200]['content']['text/event-stream'];
export const namesIn = (message: Message): string[] =>
  message.topic === 'channels' ? message.data.changed.map(({ name }) => name) : [];
`;

test('a client with the types of openapi-typescript tells success from failure', async () => {
  writeFileSync(join(folder, 'hub.d.ts'), await openapiTypes(JSON.parse(read('docs/openapi.json'))));
  writeFileSync(join(folder, 'client.ts'), client);
  const options = ['--noEmit', '--strict', '--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'esnext'];
  const { stdout, exitCode } = Bun.spawnSync(
    [process.execPath, '--bun', 'x', 'tsc', '--ignoreConfig', ...options, '--allowImportingTsExtensions', 'client.ts'],
    { cwd: folder, env: { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` } },
  );
  expect([stdout.toString(), exitCode]).toEqual(['', 0]);
});
