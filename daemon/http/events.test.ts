import { expect, setDefaultTimeout, test } from 'bun:test';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { Hono } from 'hono';
import { until } from '../../tests/support/until.ts';
import type { ChannelsEvent } from '../contract/events.ts';
import { groupTypes, maskOf, type Permission } from '../contract/permission.ts';
import { addressRanges } from '../lib/address-ranges.ts';
import { HubError } from '../lib/hub-error.ts';
import { createLog } from '../lib/log.ts';
import { bounds, createEvents } from './events.ts';
import { listen } from './listener.ts';
import type { HubEnv, Session } from './route.ts';
import type { TopicSource } from './topic.ts';

setDefaultTimeout(30_000);

function sessionOf(idHash: string, ...permissions: Permission[]): Session {
  const user = { id: 2, name: idHash, groupName: '', permission: maskOf(...permissions), type: groupTypes.custom };
  return { idHash, user };
}

/** A topic whose changes are made by the test. */
function source() {
  const listeners = new Set<(change: ChannelsEvent) => void>();
  const topic: TopicSource<'channels'> = {
    topic: 'channels',
    redaction: {
      unless: 'channelEdit',
      redact: ({ changed, removed }) => ({ changed, removed: removed.map((id) => -id) }),
    },
    init: () => ({ changed: [], removed: [0] }),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const change = (...removed: number[]) => {
    for (const listener of listeners) listener({ changed: [], removed });
  };
  return { topic, listeners, change };
}

function setup({ heartbeatMs = 60_000 } = {}) {
  const sessions = new Map<string, Session>();
  const onEnd = new Set<(idHash: string) => void>();
  const channels = source();
  const events = createEvents({
    sources: [channels.topic],
    sessions: {
      current: (idHash) => sessions.get(idHash) ?? null,
      onEnd: (listener) => {
        onEnd.add(listener);
        return () => onEnd.delete(listener);
      },
    },
    heartbeatMs,
    log: createLog('error', () => {}),
  });
  const app = new Hono<HubEnv>();
  app.use(async (c, next) => {
    c.set('session', sessions.get(c.req.header('as') ?? '') ?? null);
    await next();
  });
  app.onError((error, c) => {
    if (!(error instanceof HubError)) throw error;
    return c.json(error.body(), error.http as 400);
  });
  app.get('/api/events', (c) => events.route.respond(c));
  const add = (session: Session) => sessions.set(session.idHash, session);
  add(sessionOf('ann', 'channelView', 'channelEdit'));
  const open = async (as = 'ann', topics = 'channels', method = 'GET') =>
    app.request(
      `/api/events?topics=${topics}`,
      { method, headers: { as } },
      { ip: '', isSecure: false, keepOpen() {} },
    );
  const end = (idHash: string) => {
    sessions.delete(idHash);
    for (const listener of onEnd) listener(idHash);
  };
  return { app, events, channels, sessions, add, open, end };
}

/** Reads until the text contains `part`; returns the whole text so far. */
function reader(response: Response) {
  const stream = response.body!.pipeThrough(new TextDecoderStream() as never).getReader() as never as {
    read(): Promise<{ done: boolean; value?: string }>;
    cancel(): Promise<void>;
  };
  let text = '';
  return {
    async until(part: string): Promise<string> {
      while (!text.includes(part)) {
        const { done, value } = await stream.read();
        if (done) throw new Error(`the stream ended after ${text}`);
        text += value;
      }
      return text;
    },
    async rest(): Promise<string> {
      for (let part = await stream.read(); !part.done; part = await stream.read()) text += part.value;
      return text;
    },
    cancel: () => stream.cancel(),
  };
}

test('a stream starts with the whole state, changes follow', async () => {
  const { open, channels } = setup();
  const response = await open();
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const read = reader(response);
  await read.until('"removed":[0]}}\n\n');
  channels.change(7);
  const text = await read.until('[7]');
  expect(text).toContain('event: init\ndata: {"topic":"channels","data":{"changed":[],"removed":[0]}}\n\n');
  expect(text).toContain('event: change\ndata: {"topic":"channels","data":{"changed":[],"removed":[7]}}');
});

test('a reader without the permission gets redacted data, in the whole state and in each change', async () => {
  const { open, channels, add } = setup();
  add(sessionOf('bob', 'channelView'));
  const [viewer, editor] = [reader(await open('bob')), reader(await open('ann'))];
  channels.change(7);
  expect(await editor.until('[7]')).toContain('[0]');
  const text = await viewer.until('[-7]');
  expect(text).toContain('"removed":[0]');
  expect(text).not.toContain('[7]');
});

test('a topic is subscribed to once for all readers, and only while there are any', async () => {
  const { open, channels, events } = setup();
  expect(channels.listeners.size).toBe(0);
  const readers = [reader(await open()), reader(await open())];
  expect(channels.listeners.size).toBe(1);
  await readers[0]!.cancel();
  expect([channels.listeners.size, events.count()]).toEqual([1, 1]);
  channels.change(8);
  await readers[1]!.until('[8]');
  await readers[1]!.cancel();
  expect([channels.listeners.size, events.count()]).toEqual([0, 0]);
});

test('a topic that the reader may not see, or that does not exist, is refused by name', async () => {
  const { open, add } = setup();
  add(sessionOf('bob', 'deviceView'));
  const outcome = async (as: string, topics: string) => {
    const response = await open(as, topics);
    const { result, message } = (await response.json()) as { result: number; message: string };
    return [response.status, result, message];
  };
  expect(await outcome('nobody', 'channels')).toEqual([401, 37, 'sign in first']);
  expect(await outcome('bob', 'channels')).toEqual([403, 31, 'the topic channels needs channelView']);
  expect(await outcome('ann', 'channels,weather')).toEqual([400, 7, 'there is no topic weather']);
  expect(await outcome('ann', 'toString')).toEqual([400, 7, 'there is no topic toString']);
  expect(await outcome('ann', '')).toEqual([400, 7, 'name the topics']);
});

test('a heartbeat keeps the stream open, and ends it once the session or the permission is gone', async () => {
  const { open, add, sessions, events } = setup({ heartbeatMs: 5 });
  add(sessionOf('bob', 'channelView'));
  const ann = reader(await open('ann'));
  const bob = reader(await open('bob'));
  await ann.until(':\n\n');
  sessions.delete('ann');
  await ann.rest();
  add(sessionOf('bob', 'deviceView'));
  await bob.rest();
  expect(events.count()).toBe(0);
});

test('a stream ends at once when its reader’s permissions change, and others continue', async () => {
  const { open, add, events } = setup();
  add(sessionOf('bob', 'channelView'));
  const [ann, bob] = [reader(await open('ann')), reader(await open('bob'))];
  events.recheck();
  expect(events.count()).toBe(2);
  add(sessionOf('bob', 'channelView', 'channelControl'));
  events.recheck();
  expect(await bob.rest()).toContain('init');
  add(sessionOf('ann'));
  events.recheck();
  await ann.rest();
  expect(events.count()).toBe(0);
});

test('signing out ends the streams of that session at once', async () => {
  const { open, end, add, events } = setup();
  add(sessionOf('bob', 'channelView'));
  const ann = reader(await open('ann'));
  await open('bob');
  end('ann');
  expect(await ann.rest()).toContain('init');
  expect(events.count()).toBe(1);
});

test('a client that does not read is dropped, the others continue', async () => {
  const { open, channels, events } = setup();
  const slow = await open();
  const quick = reader(await open());
  const many = Array.from({ length: 50_000 }, (_, i) => i);
  let sent = 0;
  while (events.count() === 2) {
    channels.change(...many, sent);
    await quick.until(`${sent++}]`);
  }
  expect(sent).toBeGreaterThan(5);
  expect(sent).toBeLessThan(30);
  await expect(slow.text()).rejects.toThrow('not read');
  channels.change(-1);
  await quick.until('[-1]');
});

test('on a socket that is not read, the stream ends and its connection too', async () => {
  const { app, channels, events } = setup();
  const server = listen({
    host: '127.0.0.1',
    port: 0,
    tls: null,
    trustedProxies: addressRanges([]),
    answer: (r, c) => app.fetch(r, c),
  });
  const socket = createConnection(server.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.pause();
  socket.write('GET /api/events?topics=channels HTTP/1.1\r\nHost: hub\r\nAs: ann\r\n\r\n');
  await until(() => events.count() === 1);
  const many = Array.from({ length: 100_000 }, (_, i) => i);
  let sentBytes = 0;
  while (events.count() === 1) {
    channels.change(...many);
    sentBytes += JSON.stringify(many).length;
    await new Promise((next) => setImmediate(next));
  }
  expect(sentBytes).toBeLessThan(40 * 1024 * 1024);
  // Reset or closed, what counts is that it is gone.
  socket.on('error', () => {});
  const closed = new Promise<void>((done) => socket.once('close', () => done()));
  socket.resume();
  await closed;
  await server.close(0);
});

test('two viewers leave event streams for others, and some are reserved for users who may edit', async () => {
  const { open, add, events, end } = setup();
  const opened = async (name: string, userId: number, ...edit: Permission[]) => {
    const { user, idHash } = sessionOf(name, 'channelView', ...edit);
    add({ idHash, user: { ...user, id: userId } });
    return await open(name);
  };
  const refused = async (response: Response) => {
    expect(response.status).toBe(503);
    return (await response.json()) as { result: number; message: string; params: object };
  };
  for (const user of [1, 2]) {
    for (let i = 0; i < bounds.perUser; i++) expect((await opened(`${user} at ${i % 5}`, user)).status).toBe(200);
    expect(await refused(await opened('again', user))).toMatchObject({
      result: 17,
      message: `too many event streams: at most ${bounds.perUser} for one user`,
      params: { 'retry-after': 5, what: 'event streams', limit: bounds.perUser, of: 'one user' },
    });
  }
  for (let user = 3; user < 3 + 16; user++) expect((await opened(`user ${user}`, user)).status).toBe(200);
  expect((await refused(await opened('late', 50))).message).toContain(
    'at most 48 for all users without edit permission',
  );
  for (let user = 60; user < 60 + 16; user++) {
    expect((await opened(`editor ${user}`, user, 'channelEdit')).status).toBe(200);
  }
  expect((await refused(await opened('late editor', 80, 'systemEdit'))).message).toContain('at most 64 for all users');
  expect(events.count()).toBe(bounds.max);
  end('user 3');
  expect((await opened('late', 50)).status).toBe(200);
});

test('a HEAD request leaves no stream behind', async () => {
  const { open, events } = setup();
  expect((await open('ann', 'channels', 'HEAD')).status).toBe(200);
  expect(events.count()).toBe(0);
});

test('when the hub stops every stream ends', async () => {
  const { open, events, channels } = setup();
  const ann = reader(await open());
  events.close();
  await ann.rest();
  expect([events.count(), channels.listeners.size]).toEqual([0, 0]);
});
