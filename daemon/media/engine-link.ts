/** The hub's side of a connection to the media engine. */
import { connect, type Socket } from 'node:net';
import { createJsonLineReader } from '../lib/json-lines.ts';
import type { DesiredState } from './protocol/desired.ts';
import {
  type EngineReply,
  type EngineRequest,
  type EngineToHub,
  engineProtocol,
  type HubToEngine,
} from './protocol/messages.ts';

type Hello = Extract<EngineToHub, { type: 'hello' }>;
type Reply = Extract<EngineToHub, { type: 'reply' }>;
/** Messages that the engine sends without a request. */
export type EngineNews = Exclude<EngineToHub, Hello | Reply>;

/** The engine did not respond: `down` it is not running, `timeout` it was too slow, `busy` too many requests wait. */
export class MediaError extends Error {
  readonly kind: 'down' | 'timeout' | 'busy';

  constructor(kind: MediaError['kind'], message: string) {
    super(message);
    this.name = 'MediaError';
    this.kind = kind;
  }
}

/** `absent`: no process listens. `silent`: a process accepted the connection but sent no valid hello. */
export type LinkAttempt =
  | { readonly link: EngineLink }
  | { readonly link?: undefined; readonly failed: 'absent' | 'silent' };

interface LinkOptions {
  readonly path: string;
  readonly helloTimeoutMs: number;
  /** Called only for an engine with the same protocol version. */
  onNews(news: EngineNews): void;
}

const maxLineBytes = 16 * 1024 * 1024;
const maxRequests = 64;

interface Waiting {
  readonly resolve: (reply: EngineReply) => void;
  readonly reject: (error: MediaError) => void;
  readonly timer: Timer;
}

/** Requests waiting for their reply, each with its own deadline. */
function createRequestTable() {
  const waiting = new Map<number, Waiting>();
  let nextId = 1;

  const take = (id: number): Waiting | undefined => {
    const found = waiting.get(id);
    waiting.delete(id);
    clearTimeout(found?.timer);
    return found;
  };
  return {
    add(timeoutMs: number): { id: number; reply: Promise<EngineReply> } {
      const id = nextId++;
      const { promise, resolve, reject } = Promise.withResolvers<EngineReply>();
      const timer = setTimeout(
        () => take(id)?.reject(new MediaError('timeout', `the media engine did not answer within ${timeoutMs} ms`)),
        timeoutMs,
      );
      waiting.set(id, { resolve, reject, timer });
      return { id, reply: promise };
    },
    isFull: () => waiting.size >= maxRequests,
    resolve: (id: number, reply: EngineReply) => take(id)?.resolve(reply),
    rejectAll(error: MediaError): void {
      for (const id of [...waiting.keys()]) take(id)?.reject(error);
    },
  };
}

function hasType(value: unknown): value is { type: string } {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

export class EngineLink {
  hello: Hello = { type: 'hello', protocol: 0, pid: 0, startedAt: 0, parts: [] };
  readonly attempt = Promise.withResolvers<LinkAttempt>();
  readonly #closed = Promise.withResolvers<string>();
  /** Why the connection ended; never rejects. */
  readonly closed = this.#closed.promise;
  readonly #options: LinkOptions;
  readonly #socket: Socket;
  readonly #requests = createRequestTable();
  readonly #helloTimer: Timer;
  #waitingState: DesiredState | undefined;
  #heardAt = performance.now();
  #isConnected = false;
  #closeReason = '';

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#socket = connect(options.path);
    this.#helloTimer = setTimeout(() => this.close('no hello in time'), options.helloTimeoutMs);
    const onFault = (reason: string) => this.close(reason);
    const onValue = (value: unknown) => this.#receive(value);
    const read = createJsonLineReader({ maxBytes: maxLineBytes, onFault, onValue });
    this.#socket
      .on('connect', () => {
        this.#isConnected = true;
      })
      .on('data', (chunk: Buffer) => read(chunk))
      .on('drain', () => this.#sendWaitingState())
      .on('error', (error) => {
        this.#closeReason ||= error.message;
      })
      .on('close', () => this.#finish());
  }

  /** Time of the engine's last message, by `performance.now()`. */
  heardAt(): number {
    return this.#heardAt;
  }

  /** Only the newest state is worth sending: it replaces one that is still queued. */
  sendDesired(state: DesiredState): void {
    if (this.#socket.writableNeedDrain) this.#waitingState = state;
    else this.#write({ type: 'desired', state });
  }

  sendStop(reason: string): void {
    this.#write({ type: 'stop', reason });
  }

  request(ask: EngineRequest, timeoutMs: number): Promise<EngineReply> {
    if (this.#socket.destroyed) return Promise.reject(new MediaError('down', 'the media engine is not connected'));
    if (this.#requests.isFull() || this.#socket.writableNeedDrain) {
      return Promise.reject(new MediaError('busy', 'too many requests wait for the media engine'));
    }
    const { id, reply } = this.#requests.add(timeoutMs);
    this.#write({ type: 'request', id, ask });
    return reply;
  }

  close(reason: string): void {
    this.#closeReason ||= reason;
    this.#socket.destroy();
  }

  #write(message: HubToEngine): void {
    this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  #sendWaitingState(): void {
    const state = this.#waitingState;
    this.#waitingState = undefined;
    if (state) this.#write({ type: 'desired', state });
  }

  #receive(value: unknown): void {
    if (!hasType(value)) {
      this.close('a message without a type');
      return;
    }
    this.#heardAt = performance.now();
    // Both sides are built from the same source and compare the protocol number in the hello.
    const message = value as EngineToHub;
    if (message.type === 'reply') this.#requests.resolve(message.id, message.reply);
    else if (message.type !== 'hello') {
      // Messages of another version could be misread; such an engine is connected only to stop it.
      if (this.hello.protocol === engineProtocol) this.#options.onNews(message);
    } else {
      clearTimeout(this.#helloTimer);
      this.hello = message;
      this.attempt.resolve({ link: this });
    }
  }

  #finish(): void {
    clearTimeout(this.#helloTimer);
    this.#requests.rejectAll(new MediaError('down', 'the media engine went away'));
    this.attempt.resolve({ failed: this.#isConnected ? 'silent' : 'absent' });
    this.#closed.resolve(this.#closeReason || 'closed by the engine');
  }
}

/** Connects and waits for the engine's hello. */
export function connectEngine(options: LinkOptions): Promise<LinkAttempt> {
  return new EngineLink(options).attempt.promise;
}
