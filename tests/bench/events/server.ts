/**
 * Serves an event stream of many changing objects: the hub's own, or a plain one that serializes every change for each
 * listener and sends it immediately. Argument: `hub` or `plain`. Prints its port.
 */
import { Hono } from 'hono';
import { groupTypes } from '../../../daemon/contract/permission.ts';
import { createEvents } from '../../../daemon/http/events.ts';
import { listen } from '../../../daemon/http/listener.ts';
import type { HubEnv, Session } from '../../../daemon/http/route.ts';
import { createObjectTopic, type Key } from '../../../daemon/http/topic.ts';
import { addressRanges } from '../../../daemon/lib/address-ranges.ts';
import { createLog } from '../../../daemon/lib/log.ts';
import { load } from './load.ts';

interface Device {
  readonly id: number;
  readonly count: number;
  readonly text: string;
}

const text = 'x'.repeat(load.objectBytes - 40);
const devices = new Map<number, Device>();
for (let id = 0; id < load.objects; id++) devices.set(id, { id, count: 0, text });

const listeners = new Set<(keys: Key[]) => void>();
let next = 0;
let count = 0;
setInterval(() => {
  const changed: number[] = [];
  for (let at = 0; at < load.changesPerSecond / load.ticksPerSecond; at++) {
    const id = next++ % load.objects;
    devices.set(id, { id, count: ++count, text });
    changed.push(id);
  }
  for (const listener of listeners) listener(changed);
}, 1000 / load.ticksPerSecond);

console.log(process.argv[2] === 'hub' ? hubPort() : plainPort());

function hubPort(): number {
  let sessions = 0;
  const sessionOf = (id: number): Session => ({
    idHash: String(id),
    user: { id, name: `user ${id}`, groupId: 4, groupName: '', permission: 0xffffffff, type: groupTypes.admin },
  });
  const events = createEvents({
    topics: [
      createObjectTopic<Device>({
        name: 'devices',
        scope: 'deviceView',
        all: () => devices.values(),
        find: (id) => devices.get(Number(id)),
        keyOf: ({ id }) => id,
        canSee: ({ user }, { id }) => (user.permission & (1 << (id % 16))) !== 0,
        watch(changed) {
          listeners.add(changed);
          return () => listeners.delete(changed);
        },
      }),
    ],
    sessions: { current: (idHash) => sessionOf(Number(idHash)), onEnd: () => () => {} },
    heartbeatMs: 5000,
    log: createLog('error'),
  });
  const app = new Hono<HubEnv>();
  app.use(async (c, then) => {
    c.set('session', sessionOf(++sessions));
    await then();
  });
  app.get('/api/events', (c) => events.route.respond(c));
  const answer = (request: Request, connection: HubEnv['Bindings']) => app.fetch(request, connection);
  return listen({ host: '127.0.0.1', port: 0, tls: null, trustedProxies: addressRanges([]), answer }).port;
}

function plainPort(): number {
  const encoder = new TextEncoder();
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch() {
      let leave = () => {};
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          const send = (event: string, data: unknown) =>
            controller.enqueue(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
          send('init', [...devices.values()]);
          const listener = (keys: Key[]) => {
            for (const key of keys) send('change', devices.get(Number(key)));
          };
          listeners.add(listener);
          leave = () => void listeners.delete(listener);
        },
        cancel: () => leave(),
      });
      return new Response(stream as unknown as BodyInit, { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  return server.port ?? 0;
}
