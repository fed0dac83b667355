/** Keeps one native endpoint running: starts it, restarts it when it ends, and passes operations and media through. */

import { existsSync } from 'node:fs';
import { totalmem } from 'node:os';
import { confined, type Rights } from '../../lib/confined.ts';
import type { Log } from '../../lib/log.ts';
import { timing } from '../../timing.ts';
import { type Backoff, createBackoff } from '../connection/backoff.ts';
import { EndpointProcess, type EndpointTiming, type NamedEvent } from './process.ts';

export interface EndpointOptions<Event extends NamedEvent> {
  /** `SRT endpoint`, for the log. */
  readonly name: string;
  /** Protocol version that it must speak. */
  readonly protocol: number;
  /** Returns undefined if the text is not an event of this endpoint. */
  readonly readEvent: (text: string) => Event | undefined;
  readonly binary: string;
  /** Socket that the endpoint connects to, in a folder that only the owner can access. */
  readonly socketPath: string;
  /** Command line of the program; see `confinedEndpoint`. */
  readonly command: () => readonly string[];
  readonly log: Log;
  /** The endpoint has started without any state: send listeners, keys, calls and the contents of the feeds. */
  onStart(): void;
  /** The endpoint is gone, with all its connections. `missing`: the program does not exist. */
  onDown(reason: string): void;
  onEvent(event: Event): void;
  /** There is room again after `sendData` was refused because the queue was full. */
  onDrain?(): void;
  /** `bytes` are whole TS packets, valid only during the call; `flags` as in the endpoint's protocol. */
  onData(id: number, flags: number, bytes: Uint8Array): void;
  /** Environment of the process; nothing is inherited. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly backoff?: Backoff;
  readonly timing?: EndpointTiming;
}

/**
 * A runaway endpoint must not take the memory of the others. libsrt has a thread per receiving connection: with stacks
 * of 8 MB, the system's default, thousands of them would appear to need more memory than there is.
 */
const limits = { data: Math.floor((totalmem() * 3) / 4), stack: 1 << 20 };

/** Command line of an endpoint that can reach the internet and its own socket, and no files but those it may read. */
export function confinedEndpoint(binary: string, socketPath: string, rights: Pick<Rights, 'read'>): string[] {
  const command = [binary, '--socket', 'fd:3'];
  return confined(command, { ...rights, sockets: 'internet', connect: [socketPath], limits });
}

export type EndpointState =
  | { readonly phase: 'starting' }
  | { readonly phase: 'running'; readonly pid: number; readonly restarts: number }
  | { readonly phase: 'waiting'; readonly reason: string; readonly retryInMs: number }
  | { readonly phase: 'stopped' };

export interface Endpoint<Operation extends object> {
  /** Returns false while the endpoint is not running; send it again from `onStart`. */
  send(operation: Operation): boolean;
  /** Returns false if the bytes were dropped: the endpoint is not running, or too much is queued. */
  sendData(feed: number, flags: number, bytes: Uint8Array): boolean;
  state(): EndpointState;
  close(reason: string): Promise<void>;
}

export function createEndpoint<Event extends NamedEvent, Operation extends object>(
  options: EndpointOptions<Event>,
): Endpoint<Operation> {
  const supervisor = new Supervisor<Event, Operation>(options);
  // Deferred, because the caller's handlers may need the object that is returned here.
  queueMicrotask(() => supervisor.start());
  return supervisor;
}

class Supervisor<Event extends NamedEvent, Operation extends object> implements Endpoint<Operation> {
  readonly #options: EndpointOptions<Event>;
  readonly #backoff: Backoff;
  #process: EndpointProcess<Event> | undefined;
  #state: EndpointState = { phase: 'starting' };
  #retry: ReturnType<typeof setTimeout> | undefined;
  #startedAt = 0;
  #starts = 0;
  #isClosed = false;

  constructor(options: EndpointOptions<Event>) {
    this.#options = options;
    this.#backoff = options.backoff ?? createBackoff();
  }

  start(): void {
    if (this.#isClosed) return;
    this.#state = { phase: 'starting' };
    this.#startedAt = performance.now();
    const { environment = {}, timing: chosen = timing.endpoint, command, ...rest } = this.#options;
    try {
      const child = new EndpointProcess<Event>({
        ...rest,
        command: command(),
        environment,
        timing: chosen,
        onHello: () => this.#greeted(),
      });
      this.#process = child;
      void child.ended.then((reason) => this.#down(reason));
    } catch (error) {
      this.#down(existsSync(rest.binary) ? String(error) : 'missing');
    }
  }

  send(operation: Operation): boolean {
    return this.#process?.send(operation) ?? false;
  }

  sendData(feed: number, flags: number, bytes: Uint8Array): boolean {
    return this.#process?.sendData(feed, flags, bytes) ?? false;
  }

  state(): EndpointState {
    return this.#state;
  }

  async close(reason: string): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#options.log.info(`${this.#options.name} stops`, { reason });
    await this.#process?.stop();
    this.#state = { phase: 'stopped' };
  }

  #greeted(): void {
    const child = this.#process;
    if (!child) return;
    this.#state = { phase: 'running', pid: child.pid, restarts: this.#starts++ };
    this.#options.log.info(`${this.#options.name} started`, { pid: child.pid });
    this.#options.onStart();
  }

  #down(reason: string): void {
    this.#process = undefined;
    if (this.#isClosed) return;
    this.#backoff.ended(performance.now() - this.#startedAt);
    const retryInMs = this.#backoff.next(false);
    this.#state = { phase: 'waiting', reason, retryInMs };
    this.#options.log.error(`${this.#options.name} is down`, { reason, 'retry-in-ms': Math.round(retryInMs) });
    this.#retry = setTimeout(() => this.start(), retryInMs);
    this.#options.onDown(reason);
  }
}
