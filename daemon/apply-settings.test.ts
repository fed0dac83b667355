import { afterEach, expect, test } from 'bun:test';
import { applySettings } from './apply-settings.ts';

const servers: Bun.Server<undefined>[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop(true);
});

const serve = (port: number, answer: (path: string, body: Record<string, unknown>) => object) => {
  const server = Bun.serve({
    port,
    hostname: '127.0.0.1',
    fetch: async (request) => Response.json(answer(new URL(request.url).pathname, await request.json())),
  });
  servers.push(server);
  return server;
};

const web = { name: 'web', added: [], 'added-num': 0, changed: [{ name: 'console', members: ['http-port'] }] };
const preview = { ...web, 'changed-num': 1, removed: [], 'removed-num': 0, 'lacks-secrets': [], effect: 'confirm' };

test('a console that moves to another port is confirmed there', async () => {
  const spare = serve(0, () => ({}));
  const next = Number(spare.port);
  await spare.stop(true);
  const confirmed: unknown[] = [];
  const old = serve(0, (path, body) => {
    if (path !== '/api/settings/import') return { result: 1, message: 'not here any more' };
    const answer = { sections: [preview], ignored: [], digest: 'd', addresses: [], restarts: false };
    if (body.preview === true) return { ...answer, 'confirm-by-s': 0 };
    serve(next, (asked, { token }) => {
      confirmed.push([asked, token]);
      return { result: 0 };
    });
    return { ...answer, 'confirm-by-s': 30, token: 'proof' };
  });
  const said: string[] = [];
  const code = await applySettings({
    hub: `http://127.0.0.1:${old.port}`,
    token: 'secret',
    isPreview: false,
    risk: 'confirm',
    text: JSON.stringify({ sections: { web: [{ name: 'console', 'http-port': next, 'https-port': 8443 }] } }),
    say: (line) => void said.push(line),
  });
  expect([code, said.at(-1)]).toEqual([0, 'the hub has these settings now']);
  expect(said).toContain(`the hub is at http://127.0.0.1:${next} now`);
  expect(confirmed).toEqual([['/api/network/confirm', 'proof']]);
});
