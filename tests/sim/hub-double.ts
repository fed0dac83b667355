/**
 * Replaces the hub while pages are designed: `bun tests/sim/hub-double.ts [port]`. Uses the contract's schemas and
 * changing numbers, and accepts any password except "wrong". Of the tests, only that of a crowded console uses it.
 */
import { api } from '../../daemon/contract/api.ts';
import type { Endpoint, ResponseOf } from '../../daemon/contract/endpoint.ts';
import { diff } from '../../daemon/contract/patch.ts';
import { results } from '../../daemon/contract/result.ts';
import { createWorld, type World } from './hub-double-world.ts';

const port = Number(process.argv[2] ?? 8890);
const world = createWorld({ channels: Number(process.argv[3] ?? 9) });
setInterval(() => world.tick(), 1000);

type Answers = Record<string, (input: Record<string, never>) => object | number>;

const variant = { 'is-hardware': false, 'feature-support': 0, 'expires-in': 1800, stays: false };

function answers(w: World): Answers {
  const on = <E extends Endpoint>(endpoint: E, give: (input: never) => ResponseOf<E> | number): Answers => ({
    [`${endpoint.method} ${endpoint.path}`]: give as never,
  });
  return {
    ...on(api.auth.setupState, () => ({ needed: false, 'needs-code': false, language: 'auto' as const, name: '' })),
    ...on(api.auth.setup, () => ({})),
    ...on(api.auth.session, () => (w.user === undefined ? results.notLoggedIn.code : { user: w.user, ...variant })),
    ...on(api.auth.login, (body: { id: string; password: string }) => {
      if (body.password === 'wrong') return results.mismatch.code;
      return { 'is-hardware': false, token: 'X', user: w.signIn(body.id) };
    }),
    ...on(api.auth.logout, () => {
      w.user = undefined;
      return {};
    }),
    ...on(api.system.status, () => ({ status: w.status() })),
    ...on(api.system.history, () => w.history()),
    ...on(api.channels.dashboard, () => ({
      global: w.status().system.channel,
      network: { 'mbps-s': 40 },
      start: 0,
      total: w.channels.length,
      list: w.channels,
    })),
    ...on(api.channels.query, ({ id }: { id: string }) => w.query(Number(id)) ?? results.notExist.code),
    ...on(api.channels.add, (body: { name: string }) => ({ id: w.add(body.name) })),
    ...on(api.channels.set, (body: { id: number; name?: string }) => w.set(body)),
    ...on(api.channels.enable, (body: { id: number; enable: boolean }) => w.enable(body.id, body.enable)),
    ...on(api.channels.del, (body: { id: number | number[] }) => w.remove([body.id].flat())),
    ...on(api.channels.enableOutput, (body: { id: number; output: number; enable: boolean }) => w.enableOutput(body)),
    ...on(api.channels.setInput, () => ({ revision: 1 })),
    ...on(api.inputs.list, () => w.inputs()),
    ...on(api.outputs.list, () => w.outputs()),
    ...on(api.outputs.add, () => ({ id: 11090 })),
    ...on(api.settings.get, () => w.settings),
    ...on(api.settings.set, () => ({ revision: 1 })),
    ...on(api.logs.list, () => w.operations()),
  };
}

const table = answers(world);

function events(request: Request): Response {
  const topics = (new URL(request.url).searchParams.get('topics') ?? '').split(',');
  let sent = new Map<number, object>();
  /** As the hub does, only what changed since the last message. */
  const channels = (kind: string) => {
    const before = kind === 'init' ? new Map<number, object>() : sent;
    sent = new Map(world.channels.map((channel) => [channel.id, channel]));
    const known = world.channels.filter(({ id }) => before.has(id));
    const patched = known.flatMap((channel) => {
      const patch = diff(before.get(channel.id) ?? {}, channel);
      return patch === undefined || Object.keys(patch).length === 0 ? [] : [[channel.id, patch]];
    });
    const changed = world.channels.filter(({ id }) => !before.has(id));
    return { changed, patched, removed: world.takeRemoved(), left: 0 };
  };
  const send = (kind: string) =>
    topics
      .map((topic) => ({
        topic,
        data: topic === 'system' ? { changed: [world.status()], removed: [], left: 0 } : channels(kind),
      }))
      .map((message) => `event: ${kind}\ndata: ${JSON.stringify(message)}\n\n`)
      .join('');
  let timer: ReturnType<typeof setInterval>;
  const stream = new ReadableStream<string>({
    start(controller) {
      controller.enqueue(send('init'));
      timer = setInterval(() => controller.enqueue(send('change')), 1000);
    },
    cancel: () => clearInterval(timer),
  });
  return new Response(stream as unknown as BodyInit, { headers: { 'Content-Type': 'text/event-stream' } });
}

Bun.serve({
  port,
  idleTimeout: 0,
  async fetch(request) {
    const url = new URL(request.url);
    if (url.pathname === '/api/health') return Response.json({ result: 0 });
    if (url.pathname === '/api/events') return events(request);
    if (!url.pathname.startsWith('/api/')) {
      return new Response(
        Bun.file(`${import.meta.dir}/../../web/dist${url.pathname === '/' ? '/index.html' : url.pathname}`),
      );
    }
    const give = table[`${request.method} ${url.pathname}`];
    if (give === undefined) return Response.json({ result: results.notImplemented.code }, { status: 404 });
    const input = request.method === 'POST' ? await request.json() : Object.fromEntries(url.searchParams);
    const answer = give(input);
    return Response.json(typeof answer === 'number' ? { result: answer, message: '' } : { result: 0, ...answer });
  },
});
console.log(`hub double on http://127.0.0.1:${port}`);
