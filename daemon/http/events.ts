/** The event stream: each topic sends `init` with its state, then `change`. Clients share a subscription per topic. */
import type { Context } from 'hono';
import { type EventTopic, eventTopics, type TopicData } from '../contract/events.ts';
import { HubError } from '../lib/hub-error.ts';
import type { Log } from '../lib/log.ts';
import { accessFor, isGranted } from './access.ts';
import type { PlainRoute } from './plain-route.ts';
import type { HubEnv, Session } from './route.ts';
import type { AnyTopicSource, TopicSource } from './topic.ts';
import { createUserPlaces } from './user-places.ts';

interface EventsOptions {
  readonly sources: readonly AnyTopicSource[];
  readonly sessions: {
    /** Returns the current state, or null if it has ended. */
    current(idHash: string): Pick<Session, 'user' | 'idHash'> | null;
    onEnd(listener: (idHash: string) => void): () => void;
  };
  readonly heartbeatMs: number;
  readonly log: Log;
}

interface Client {
  /** As it was when the stream was opened; the stream ends when its permissions change. */
  readonly session: Session;
  readonly topics: readonly EventTopic[];
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
  /** Frees its place. */
  readonly leave: () => void;
}

export const bounds = { max: 64, keptForEditors: 16, perUser: 16, perSession: 8, retrySeconds: 5 };
/** Limit of the data queued for a slow client; the state of 256 channels is well below. */
const maxWaitingBytes = 4 * 1024 * 1024;
const encoder = new TextEncoder();

class EventHub {
  readonly #options: EventsOptions;
  readonly #clients = new Set<Client>();
  readonly #places = createUserPlaces({ what: 'event streams', ...bounds });
  readonly #unsubscribe = new Map<EventTopic, () => void>();
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
    const topics = readTopics(c.req.query('topics') ?? '', session);
    const headers = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' };
    if (c.req.raw.method === 'HEAD') return new Response(null, { headers });
    c.env.keepOpen();
    return new Response(this.#open(session, topics), { headers });
  }

  close(): void {
    this.#stopListening();
    for (const client of this.#clients) this.#end(client);
  }

  /** The page opens a new stream, which is authorized again. */
  recheck(): void {
    for (const client of this.#clients) {
      const session = this.#options.sessions.current(client.session.idHash);
      if (session === null || rightsOf(session) !== rightsOf(client.session)) this.#end(client);
    }
  }

  #open(session: Session, topics: readonly EventTopic[]): ReadableStream<Uint8Array> {
    const leave = this.#places.enter(session);
    let client: Client;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          client = { session, topics, controller, leave };
          this.#clients.add(client);
          try {
            this.#send(client, encoder.encode('retry: 1000\n\n'));
            for (const topic of topics) this.#begin(client, topic);
          } catch (error) {
            this.#forget(client);
            throw error;
          }
          this.#heartbeat ??= setInterval(() => this.#beat(), this.#options.heartbeatMs);
        },
        cancel: () => this.#forget(client),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: maxWaitingBytes }),
    );
  }

  #begin(client: Client, topic: EventTopic): void {
    const source = this.#options.sources.find((one) => one.topic === topic) as TopicSource<EventTopic> | undefined;
    if (source === undefined) throw new Error(`nobody provides the topic ${topic}`);
    if (!this.#unsubscribe.has(topic)) {
      const stop = source.subscribe((data) => this.#publish(source, data));
      this.#unsubscribe.set(topic, stop);
    }
    this.#send(client, message('init', topic, source.init(), redactionFor(client, source)));
  }

  /** Each message is serialized once for all of its readers. */
  #publish(source: TopicSource<EventTopic>, data: TopicData[EventTopic]): void {
    const texts = new Map<Redact | undefined, Uint8Array>();
    for (const client of this.#clients) {
      if (!client.topics.includes(source.topic)) continue;
      const redact = redactionFor(client, source);
      const text = texts.get(redact) ?? message('change', source.topic, data, redact);
      texts.set(redact, text);
      this.#send(client, text);
    }
  }

  #send(client: Client, bytes: Uint8Array): void {
    if ((client.controller.desiredSize ?? 0) < bytes.byteLength) {
      this.#options.log.warn('an event stream was not read in time and is closed', { waiting: maxWaitingBytes });
      this.#forget(client);
      client.controller.error(new Error('not read'));
      return;
    }
    client.controller.enqueue(bytes);
  }

  #beat(): void {
    this.recheck();
    const beat = encoder.encode(':\n\n');
    for (const client of this.#clients) this.#send(client, beat);
  }

  #end(client: Client): void {
    if (!this.#clients.has(client)) return;
    this.#forget(client);
    client.controller.close();
  }

  #forget(client: Client): void {
    this.#clients.delete(client);
    client.leave();
    const desired = new Set([...this.#clients].flatMap((one) => one.topics));
    for (const [topic, stop] of this.#unsubscribe) {
      if (desired.has(topic)) continue;
      this.#unsubscribe.delete(topic);
      stop();
    }
    if (this.#clients.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }
}

export function createEvents(options: EventsOptions) {
  const hub = new EventHub(options);
  return {
    count: (): number => hub.count(),
    /** Ends streams whose session has other permissions than before, sooner than the heartbeat would. */
    recheck: (): void => hub.recheck(),
    /** Ends every stream; browsers reconnect when the hub is back. */
    close: (): void => hub.close(),
    route: {
      path: '/api/events',
      scope: 'signedIn',
      isPassive: true,
      summary: 'Event stream: `init`, then `change` of each topic.',
      contentType: 'text/event-stream',
      query: { topics: `Names with commas between: ${Object.keys(eventTopics).join(', ')}.` },
      respond: (c) => hub.respond(c),
    } satisfies PlainRoute,
  };
}

type Redact = (data: TopicData[EventTopic]) => TopicData[EventTopic];

function redactionFor({ session }: Client, { redaction }: TopicSource<EventTopic>): Redact | undefined {
  return redaction && !isGranted(session, redaction.unless) ? redaction.redact : undefined;
}

function rightsOf({ user }: Pick<Session, 'user'>): string {
  return `${user.type} ${user.permission}`;
}

function readTopics(text: string, session: Session): EventTopic[] {
  const names = [...new Set(text.split(',').filter(Boolean))];
  if (names.length === 0) throw new HubError('invalidArgument', 'name the topics', { http: 400 });
  return names.map((name) => {
    if (!isTopic(name)) throw new HubError('invalidArgument', `there is no topic ${name}`, { http: 400 });
    if (accessFor(session, eventTopics[name]) !== 'granted') {
      throw new HubError('notPermitted', `the topic ${name} needs ${eventTopics[name]}`, { http: 403 });
    }
    return name;
  });
}

function isTopic(name: string): name is EventTopic {
  return Object.hasOwn(eventTopics, name);
}

/** JSON contains no line breaks, so one `data` line is enough. */
function message(
  event: 'init' | 'change',
  topic: EventTopic,
  whole: TopicData[EventTopic],
  redact: Redact | undefined,
): Uint8Array {
  const data = redact ? redact(whole) : whole;
  return encoder.encode(`event: ${event}\ndata: ${JSON.stringify({ topic, data })}\n\n`);
}
