/** Serves event streams: sends each client the messages of its topics as fast as the client reads them. */
import type { Context } from 'hono';
import type { StopEvent } from '../contract/events.ts';
import { createGzipStream, type GzipStream } from '../lib/gzip-stream.ts';
import { HubError } from '../lib/hub-error.ts';
import type { Log } from '../lib/log.ts';
import { accessFor } from './access.ts';
import type { MetricWriter } from './metrics.ts';
import type { PlainRoute } from './plain-route.ts';
import type { HubEnv, Session } from './route.ts';
import { accepts } from './static-files.ts';
import type { Topic, TopicView } from './topic.ts';
import { createUserPlaces } from './user-places.ts';

interface EventsOptions {
  readonly topics: readonly Topic[];
  readonly sessions: {
    /** Returns the current state of a session, or null if the session has ended. */
    current(idHash: string): Pick<Session, 'user' | 'idHash'> | null;
    onEnd(listener: (idHash: string) => void): () => void;
  };
  readonly heartbeatMs: number;
  readonly log: Log;
}

/** A topic, and the keys of the requested objects; undefined: all. */
interface Subscription {
  readonly topic: Topic;
  readonly only: ReadonlySet<string> | undefined;
}

interface Opening {
  readonly session: Session;
  readonly subscriptions: readonly Subscription[];
  readonly isLean: boolean;
  readonly isZipped: boolean;
}

interface Client {
  /** The session as it was when the stream was opened; the stream ends when its permissions change. */
  readonly session: Session;
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
  readonly views: TopicView[];
  readonly gzip: GzipStream | undefined;
  /** Index of the view that was read last. Views take turns, so that a busy topic does not delay the others. */
  turn: number;
  /** Heartbeats since the client last read data. */
  missedBeats: number;
  /** Frees the client's place (user-places.ts). */
  readonly leave: () => void;
}

export const bounds = { max: 64, keptForEditors: 16, perUser: 16, perSession: 8, retrySeconds: 5 };
/** Bytes queued for a slow client; later changes wait in the topic, as one state per object (topic.ts). */
const queuedBytes = 64 << 10;
/** A client that reads no data for this many heartbeats is disconnected. */
const maxMissedBeats = 6;
const maxKeys = 200;
const [greeting, beat] = [Buffer.from('retry: 1000\n\n'), Buffer.from(':\n\n')];

class EventHub {
  readonly #options: EventsOptions;
  readonly #clients = new Set<Client>();
  readonly #places = createUserPlaces({ what: 'event streams', ...bounds });
  readonly #stopListening: () => void;
  #heartbeat: Timer | undefined;

  constructor(options: EventsOptions) {
    this.#options = options;
    this.#stopListening = options.sessions.onEnd((idHash) => {
      for (const client of this.#clients) if (client.session.idHash === idHash) this.#end(client);
    });
  }

  count(): number {
    return this.#clients.size;
  }

  respond(c: Context<HubEnv>): Response {
    const { session } = c.var;
    if (session === null) throw new HubError('notLoggedIn', 'sign in first', { http: 401 });
    const subscriptions = readTopics(this.#options.topics, c.req.query('topics') ?? '', session);
    const isLean = readIsLean(c.req.query('changes'));
    // A compressed size reveals secrets only beside text that an attacker chooses again and again; a stream has none.
    const isZipped = isLean && accepts(c.req.header('accept-encoding') ?? '', 'gzip');
    const headers = {
      ...{ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
      ...(isZipped && { 'content-encoding': 'gzip' }),
    };
    if (c.req.raw.method === 'HEAD') return new Response(null, { headers });
    c.env.keepOpen();
    return new Response(this.#open({ session, subscriptions, isLean, isZipped }), { headers });
  }

  close(last: StopEvent): void {
    this.#stopListening();
    const bytes = Buffer.from(`event: stop\ndata: ${JSON.stringify(last)}\n\n`);
    for (const client of this.#clients) {
      // Also to a client without room: nothing follows.
      send(client, bytes);
      this.#end(client);
    }
  }

  /** Ends streams whose session has ended or whose permissions have changed; updates what the others see. */
  recheck(): void {
    this.#checkSessions();
    for (const client of this.#clients) {
      for (const view of client.views) view.recheck();
      this.#fill(client);
    }
  }

  #open({ session, subscriptions, isLean, isZipped }: Opening): ReadableStream<Uint8Array> {
    const leave = this.#places.enter(session);
    let client: Client;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const gzip = isZipped ? createGzipStream() : undefined;
          client = { session, controller, views: [], gzip, turn: 0, missedBeats: 0, leave };
          this.#clients.add(client);
          try {
            send(client, greeting);
            for (const { topic, only } of subscriptions) {
              client.views.push(topic.open({ session, only, isLean, onNews: () => this.#fill(client) }));
            }
            this.#fill(client);
          } catch (error) {
            this.#forget(client);
            throw error;
          }
          this.#heartbeat ??= setInterval(() => this.#beat(), this.#options.heartbeatMs);
        },
        pull: () => {
          client.missedBeats = 0;
          this.#fill(client);
        },
        cancel: () => this.#forget(client),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: queuedBytes }),
    );
  }

  #fill(client: Client): void {
    try {
      while (this.#clients.has(client) && hasRoom(client)) {
        const bytes = nextOf(client);
        if (bytes === undefined) return;
        send(client, bytes);
      }
    } catch (error) {
      this.#cutOff(client, `its data cannot be read: ${String(error)}`);
    }
  }

  #beat(): void {
    this.#checkSessions();
    for (const client of this.#clients) {
      if (hasRoom(client)) {
        client.missedBeats = 0;
        send(client, beat);
      } else if (++client.missedBeats >= maxMissedBeats) this.#cutOff(client, 'its client does not read');
    }
  }

  #checkSessions(): void {
    for (const client of this.#clients) {
      const session = this.#options.sessions.current(client.session.idHash);
      if (session === null || rightsOf(session) !== rightsOf(client.session)) this.#end(client);
    }
  }

  #cutOff(client: Client, reason: string): void {
    this.#options.log.warn('an event stream is closed', { user: client.session.user.name, reason });
    this.#forget(client);
    client.controller.error(new Error(reason));
  }

  #end(client: Client): void {
    if (!this.#clients.has(client)) return;
    this.#forget(client);
    if (client.gzip) client.controller.enqueue(client.gzip.end());
    client.controller.close();
  }

  #forget(client: Client): void {
    this.#clients.delete(client);
    client.leave();
    for (const view of client.views.splice(0)) view.close();
    if (this.#clients.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }
}

export function createEvents(options: EventsOptions) {
  const hub = new EventHub(options);
  const names = options.topics.map(({ name }) => name).join(', ');
  return {
    count: (): number => hub.count(),
    metrics: ({ gauge }: MetricWriter) => gauge('signalbox_event_streams', 'Open event streams.', hub.count()),
    /** Call after every change to permissions, groups or visibility. */
    recheck: (): void => hub.recheck(),
    /** Sends every client the last message and ends its stream; browsers reconnect when the hub is back. */
    close: (last: StopEvent): void => hub.close(last),
    route: {
      path: '/api/events',
      scope: 'signedIn',
      isPassive: true,
      summary: 'Event stream: `init`, then `change` of each topic; `stop` before the hub stops.',
      contentType: 'text/event-stream',
      query: {
        topics: `Names with commas between: ${names}. Keys after a name, as in \`channels:1:2\`, limit it.`,
        changes: '`patch`: of objects that the client has received, only what changed. Default: `whole`.',
      },
      respond: (c) => hub.respond(c),
    } satisfies PlainRoute,
  };
}

function send({ controller, gzip }: Client, bytes: Uint8Array): void {
  controller.enqueue(gzip ? gzip.next(bytes) : bytes);
}

function hasRoom({ controller }: Client): boolean {
  return (controller.desiredSize ?? 0) > 0;
}

function nextOf(client: Client): Uint8Array | undefined {
  const { views } = client;
  for (let tries = 0; tries < views.length; tries++) {
    client.turn = (client.turn + 1) % views.length;
    const bytes = views[client.turn]?.next();
    if (bytes) return bytes;
  }
  return undefined;
}

/** What `canSee` may look at: a stream keeps the session with which it was opened. */
function rightsOf({ user }: Pick<Session, 'user'>): string {
  return JSON.stringify([user.type, user.permission, user.groupId, user.id, user.name]);
}

function readIsLean(changes = 'whole'): boolean {
  if (changes === 'whole' || changes === 'patch') return changes === 'patch';
  throw new HubError('invalidArgument', 'changes: must be whole or patch', { http: 400 });
}

function readTopics(topics: readonly Topic[], text: string, session: Session): Subscription[] {
  const wanted = new Map<string, readonly string[]>();
  for (const one of text.split(',').filter(Boolean)) {
    const [name = '', ...keys] = one.split(':');
    const known = wanted.get(name);
    // A topic that is named without keys is wanted as a whole.
    wanted.set(name, known?.length === 0 || keys.length === 0 ? [] : [...(known ?? []), ...keys]);
  }
  if (wanted.size === 0) throw new HubError('invalidArgument', 'topics: required', { http: 400 });
  return [...wanted].map(([name, keys]) => {
    const topic = topics.find((one) => one.name === name);
    if (!topic) throw new HubError('invalidArgument', `there is no topic ${name}`, { http: 400 });
    if (accessFor(session, topic.scope) !== 'granted') {
      throw new HubError('notPermitted', `the topic ${name} requires the permission ${topic.scope}`, { http: 403 });
    }
    if (keys.length > maxKeys) {
      throw new HubError('invalidArgument', `topics: at most ${maxKeys} keys for ${name}`, { http: 400 });
    }
    return { topic, only: keys.length > 0 ? new Set(keys) : undefined };
  });
}
