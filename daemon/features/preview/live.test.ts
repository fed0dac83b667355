import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { until } from '../../../tests/support/until.ts';
import { maskOf, type Permission } from '../../contract/permission.ts';
import type { HubEnv, Session } from '../../http/route.ts';
import type { HubError } from '../../lib/hub-error.ts';
import { createLivePreview } from './live.ts';

const dir = mkdtempSync(join(tmpdir(), 'signalbox-live-'));
afterAll(() => rmSync(dir, { recursive: true }));

const sessionOf = (idHash: string, userId: number, permission: Permission = 'channelView'): Session => ({
  idHash,
  user: { id: userId, name: 'ann', groupId: 4, groupName: '', permission: maskOf(permission), type: 4 },
});

test('two viewers leave live previews for others, and some are reserved for users who may edit', async () => {
  const socketPath = join(dir, 'engine');
  const gate = Promise.withResolvers<void>();
  let asked = 0;
  const engine = Bun.serve({
    unix: socketPath,
    async fetch() {
      asked++;
      await gate.promise;
      return new Response('part');
    },
  });
  let session = sessionOf('nobody', 0);
  const app = new Hono<HubEnv>();
  app.use(async (c, next) => {
    c.set('session', session);
    await next();
  });
  app.onError((error, c) => c.text(error.message, (error as HubError).http as 503));
  app.get('/:id/:file', createLivePreview({ socketPath }));
  const statuses: number[] = [];
  const ask = async (as: Session) => {
    session = as;
    const { status } = await app.request('/1/1.0.ts', {}, { ip: '', isSecure: false, keepOpen() {} });
    statuses.push(status);
  };
  const refusals = () => statuses.filter((status) => status === 503).length;
  const all: Promise<void>[] = [];
  // Five sessions of each user.
  for (const user of [1, 2]) for (let i = 0; i < 60; i++) all.push(ask(sessionOf(`${user} ${i % 5}`, user)));
  await until(() => asked === 32, 5000, 'the engine is asked for both');
  expect(refusals()).toBe(120 - 32);
  all.push(ask(sessionOf('third', 3)));
  all.push(ask(sessionOf('editor', 4, 'channelEdit')));
  await until(() => asked === 34, 5000, 'the engine is asked for the others');
  for (let user = 5; user < 20; user++) all.push(ask(sessionOf(`${user}`, user)));
  await until(() => asked === 37, 5000, 'the places of viewers are taken');
  all.push(ask(sessionOf('editor', 4, 'systemEdit')));
  await until(() => asked === 38, 5000, 'an editor has a place');
  gate.resolve();
  await Promise.all(all);
  expect(statuses.filter((status) => status === 200)).toHaveLength(38);
  // All places are free again.
  await ask(sessionOf('1 1', 1));
  expect(statuses.at(-1)).toBe(200);
  await engine.stop(true);
});
