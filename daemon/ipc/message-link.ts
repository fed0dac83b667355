/**
 * The connecting side of a socket between two of our processes, one JSON object per line. The other side sends `hello`
 * first, then its news and replies. This side sends its desired state, requests, and `stop`.
 */
import { connect, type Socket } from 'node:net';
import { createJsonLineReader } from './json-lines.ts';
import { createRequestTable, RequestError } from './request-table.ts';

export interface Hello {
  readonly type: 'hello';
  readonly protocol: number;
  readonly pid: number;
}

/** The types of one protocol. */
export interface LinkMessages {
  readonly hello: Hello;
  readonly news: { readonly type: string };
  readonly state: unknown;
  readonly ask: unknown;
  readonly reply: unknown;
}

/** What the connecting side sends. */
export type Outgoing<Messages extends LinkMessages> =
  | { readonly type: 'desired'; readonly state: Messages['state'] }
  | { readonly type: 'request'; readonly id: number; readonly ask: Messages['ask'] }
  /** End, with everything that runs. */
  | { readonly type: 'stop'; readonly reason: string };

/** What the other side sends. */
export type Incoming<Messages extends LinkMessages> =
  | Messages['hello']
  | { readonly type: 'reply'; readonly id: number; readonly reply: Messages['reply'] }
  | Messages['news'];

interface LinkOptions<Messages extends LinkMessages> {
  /** Name of the other process, for errors: `media engine`. */
  readonly name: string;
  readonly path: string;
  readonly protocol: number;
  readonly helloTimeoutMs: number;
  /** Called only for a process with the same protocol version. */
  onNews(news: Messages['news']): void;
}

/** Limit of one line, in both directions. */
export const maxLineBytes = 16 << 20;
const maxRequests = 64;

function hasType(value: unknown): value is { type: string } {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

export class MessageLink<Messages extends LinkMessages> {
  readonly #opened = Promise.withResolvers<MessageLink<Messages> | 'silent' | 'absent'>();
  readonly #closed = Promise.withResolvers<string>();
  /** Resolves with this link after the hello, or says why there is none. */
  readonly opened = this.#opened.promise;
  /** Why the connection ended; never rejects. */
  readonly closed = this.#closed.promise;
  readonly #options: LinkOptions<Messages>;
  readonly #socket: Socket;
  readonly #requests;
  readonly #helloTimer: Timer;
  #hello: Messages['hello'] | undefined;
  #waitingState: { readonly state: Messages['state'] } | undefined;
  #heardAt = performance.now();
  #isConnected = false;
  #closeReason = '';

  constructor(options: LinkOptions<Messages>) {
    this.#options = options;
    this.#requests = createRequestTable<Messages['reply']>(options.name, maxRequests);
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

  /** Set once the link is open. */
  get hello(): Messages['hello'] {
    if (this.#hello === undefined) throw new Error('no hello yet');
    return this.#hello;
  }

  get pid(): number {
    return this.hello.pid;
  }

  heardAt(): number {
    return this.#heardAt;
  }

  /** Only the newest state is worth sending: it replaces one that is still queued. */
  sendDesired(state: Messages['state']): void {
    if (this.#socket.writableNeedDrain) this.#waitingState = { state };
    else this.#write({ type: 'desired', state });
  }

  sendStop(reason: string): void {
    this.#write({ type: 'stop', reason });
  }

  /** Rejects with a RequestError. */
  request(ask: Messages['ask'], timeoutMs: number): Promise<Messages['reply']> {
    const { name } = this.#options;
    if (this.#socket.destroyed) return Promise.reject(new RequestError('down', `the ${name} is not connected`));
    if (this.#requests.isFull() || this.#socket.writableNeedDrain) {
      return Promise.reject(new RequestError('busy', `too many requests wait for the ${name}`));
    }
    const { id, reply } = this.#requests.add(timeoutMs);
    this.#write({ type: 'request', id, ask });
    return reply;
  }

  close(reason: string): void {
    this.#closeReason ||= reason;
    this.#socket.destroy();
  }

  #write(message: Outgoing<Messages>): void {
    this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  #sendWaitingState(): void {
    const waiting = this.#waitingState;
    this.#waitingState = undefined;
    if (waiting) this.#write({ type: 'desired', state: waiting.state });
  }

  #receive(value: unknown): void {
    if (!hasType(value)) {
      this.close('a message without a type');
      return;
    }
    this.#heardAt = performance.now();
    // Both sides are built from the same source and compare the protocol number in the hello.
    if (value.type === 'reply') {
      const { id, reply } = value as { type: string; id: number; reply: Messages['reply'] };
      this.#requests.resolve(id, reply);
    } else if (value.type === 'hello') {
      clearTimeout(this.#helloTimer);
      this.#hello = value as Messages['hello'];
      this.#opened.resolve(this);
    } else if (this.#hello?.protocol === this.#options.protocol) {
      // Messages of another version could be misread; such a process is connected only to stop it.
      this.#options.onNews(value);
    }
  }

  #finish(): void {
    const { name } = this.#options;
    clearTimeout(this.#helloTimer);
    this.#requests.rejectAll(new RequestError('down', `the ${name} went away`));
    this.#opened.resolve(this.#isConnected ? 'silent' : 'absent');
    this.#closed.resolve(this.#closeReason || `closed by the ${name}`);
  }
}
