import { expect, setDefaultTimeout, test } from 'bun:test';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { Hono } from 'hono';
import { readerSession as sessionOf } from '../../tests/support/topic-reader.ts';
import { until } from '../../tests/support/until.ts';
import type { Permission } from '../contract/permission.ts';
import { addressRanges } from '../lib/address-ranges.ts';
import { HubError } from '../lib/hub-error.ts';
import { createLog } from '../lib/log.ts';
import { bounds, createEvents } from './events.ts';
import { listen } from './listener.ts';
import type { HubEnv, Session } from './route.ts';
import { createObjectTopic } from './topic.ts';

setDefaultTimeout(30_000);

interface Thing {
  readonly id: number;
  readonly text?: string;
  readonly owner?: string;
}

/** A topic whose objects are changed by the test. */
function source() {
  const things = new Map<number, Thing>();
  const listeners = new Set<(keys: number[]) => void>();
  const topic = createObjectTopic<Thing>({
    name: 'channels',
    scope: 'channelView',
    all: () => things.values(),
    find: (key) => things.get(Number(key)),
    keyOf: ({ id }) => id,
    canSee: ({ user }, { owner }) => owner === undefined || owner === user.name,
    watch: (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  });
  const change = (...changed: Thing[]) => {
    for (const thing of changed) things.set(thing.id, thing);
    for (const listener of listeners) listener(changed.map(({ id }) => id));
  };
  return { topic, things, listeners, change };
}

function setup({ heartbeatMs = 60_000 } = {}) {
  const sessions = new Map<string, Session>();
  const onEnd = new Set<(idHash: string) => void>();
  const channels = source();
  const events = createEvents({
    topics: [channels.topic],
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
  const open = async (as = 'ann', topics = 'channels', method = 'GET', further = {}) =>
    app.request(
      `/api/events?topics=${topics}`,
      { method, headers: { as, ...further } },
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

test('a stream of patches is compressed for a client that accepts gzip, and each message arrives at once', async () => {
  const { channels, events, open } = setup();
  channels.change({ id: 1, text: 'old' });
  const response = await open('ann', 'channels&changes=patch', 'GET', { 'accept-encoding': 'br, gzip' });
  expect(response.headers.get('content-encoding')).toBe('gzip');
  const plain = new Response(response.body!.pipeThrough(new DecompressionStream('gzip') as never));
  const read = reader(plain);
  expect(await read.until('"left":0')).toContain('[{"id":1,"text":"old"}]');
  channels.change({ id: 1, text: 'new' });
  await read.until('"patched":[[1,{"text":"new"}]]');
  events.close({ streams: 'end' });
  expect(await read.rest()).toEndWith('event: stop\ndata: {"streams":"end"}\n\n');
});

test('whole objects are sent uncompressed, and other forms are refused', async () => {
  const { open } = setup();
  const whole = await open('ann', 'channels', 'HEAD', { 'accept-encoding': 'gzip' });
  expect(whole.headers.has('content-encoding')).toBe(false);
  const refused = await open('ann', 'channels&changes=patch', 'HEAD', { 'accept-encoding': 'gzip;q=0' });
  expect(refused.headers.has('content-encoding')).toBe(false);
  expect((await open('ann', 'channels&changes=some')).status).toBe(400);
});

test('a stream starts with the whole state, changes follow', async () => {
  const { open, channels } = setup();
  channels.things.set(1, { id: 1 });
  const response = await open();
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const read = reader(response);
  await read.until('event: init\ndata: {"topic":"channels","data":{"changed":[{"id":1}],"removed":[],"left":0}}\n\n');
  channels.change({ id: 7 });
  await read.until('event: change\ndata: {"topic":"channels","data":{"changed":[{"id":7}],"removed":[],"left":0}}\n\n');
});

test('a reader gets what it may see, and learns at once when that changes', async () => {
  const { open, channels, add, events } = setup();
  add(sessionOf('bob', 'channelView'));
  for (const thing of [{ id: 1 }, { id: 2, owner: 'ann' }]) channels.things.set(thing.id, thing);
  const [bob, ann] = [reader(await open('bob')), reader(await open('ann'))];
  expect(await ann.until('"left"')).toContain('"id":2');
  expect(await bob.until('"left"')).not.toContain('"id":2');
  channels.things.set(2, { id: 2, owner: 'bob' });
  events.recheck();
  await ann.until('"removed":[2]');
  await bob.until('"id":2');
});

test('a reader may ask for some objects of a topic', async () => {
  const { open, channels } = setup();
  for (const id of [1, 2, 3]) channels.things.set(id, { id });
  const read = reader(await open('ann', 'channels:1:3'));
  expect(await read.until('"left"')).toContain('"changed":[{"id":1},{"id":3}]');
  channels.change({ id: 2, text: 'new' }, { id: 3, text: 'new' });
  expect(await read.until('new')).toContain('"changed":[{"id":3,"text":"new"}]');
  const tooMany = await open('ann', `channels${':1'.repeat(201)}`);
  expect(await tooMany.json()).toMatchObject({ result: 7, message: 'topics: at most 200 keys for channels' });
});

test('a topic is watched once for all readers, and only while there are any', async () => {
  const { open, channels, events } = setup();
  expect(channels.listeners.size).toBe(0);
  const readers = [reader(await open()), reader(await open())];
  expect(channels.listeners.size).toBe(1);
  await readers[0]!.cancel();
  expect([channels.listeners.size, events.count()]).toEqual([1, 1]);
  channels.change({ id: 8 });
  await readers[1]!.until('"id":8');
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
  expect(await outcome('bob', 'channels')).toEqual([403, 31, 'the topic channels requires the permission channelView']);
  expect(await outcome('ann', 'channels,weather')).toEqual([400, 7, 'there is no topic weather']);
  expect(await outcome('ann', 'toString')).toEqual([400, 7, 'there is no topic toString']);
  expect(await outcome('ann', '')).toEqual([400, 7, 'topics: required']);
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

/** Objects that take more than a megabyte together. */
const large = (text: string): Thing[] =>
  Array.from({ length: 1500 }, (_, id) => ({ id, text: text.padEnd(1000, 'x') }));

test('a slow reader gets the newest state of each object and delays no other', async () => {
  const { open, channels } = setup();
  const [slow, quick] = [reader(await open()), reader(await open())];
  for (let round = 0; round < 8; round++) {
    channels.change(...large(`round ${round},`));
    await quick.until(`"id":1499,"text":"round ${round},`);
  }
  const text = await slow.until('"id":1499,"text":"round 7,');
  expect(text.length).toBeLessThan(2_500_000);
  expect(text).not.toContain('round 4,');
});

test('a reader that takes nothing for several heartbeats is cut off, the others continue', async () => {
  const { open, channels, events } = setup({ heartbeatMs: 20 });
  const slow = await open();
  const quick = reader(await open());
  channels.change(...large('many'));
  await quick.until('"id":1499,"text":"many');
  await until(async () => {
    await quick.until(':\n\n');
    return events.count() === 1;
  });
  await expect(slow.text()).rejects.toThrow('does not read');
  channels.change({ id: 1, text: 'later' });
  await quick.until('later');
});

test('on a socket that is not read, little is buffered, and the connection ends', async () => {
  const { app, channels, events } = setup({ heartbeatMs: 20 });
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
  let round = 0;
  await until(() => {
    channels.change(...large(`round ${round++},`));
    return events.count() === 0;
  });
  // Reset or closed, what counts is that it is gone.
  socket.on('error', () => {});
  let received = 0;
  socket.on('data', (bytes) => (received += bytes.length));
  const closed = new Promise<void>((done) => socket.once('close', () => done()));
  socket.resume();
  await closed;
  expect(received).toBeLessThan(20_000_000);
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

test('when the hub stops every stream ends with the last message', async () => {
  const { open, events, channels } = setup();
  const ann = reader(await open());
  events.close({ streams: 'continue' });
  expect(await ann.rest()).toEndWith('event: stop\ndata: {"streams":"continue"}\n\n');
  expect([events.count(), channels.listeners.size]).toEqual([0, 0]);
});
