/** Keeps one native endpoint running: starts it, restarts it when it ends, and passes operations and media through. */

import { existsSync } from 'node:fs';
import { totalmem } from 'node:os';
import { confined, type Rights } from '../../lib/confined.ts';
import { timing } from '../../timing.ts';
import { type Backoff, createBackoff } from '../connection/backoff.ts';
import { EndpointProcess, type EndpointTiming, type ProcessOptions } from './process.ts';
import type { NamedEvent } from './wire.ts';

interface EndpointOptions<Event extends NamedEvent>
  extends Omit<ProcessOptions<Event>, 'command' | 'environment' | 'timing' | 'onHello'> {
  readonly binary: string;
  /** Command line of the program; see `confinedEndpoint`. */
  readonly command: () => readonly string[];
  /** The endpoint has started without any state: send listeners, keys, calls and the contents of the feeds. */
  onStart(): void;
  /** The endpoint is gone, with all its connections. `missing`: the program does not exist. */
  onDown(reason: string): void;
  readonly environment?: ProcessOptions<Event>['environment'];
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

type EndpointState =
  | { readonly phase: 'starting' }
  | { readonly phase: 'running'; readonly pid: number; readonly restarts: number }
  | { readonly phase: 'waiting'; readonly reason: string; readonly retryInMs: number }
  | { readonly phase: 'stopped' };

/** Returns why an endpoint is down, for the engine's list of components. `needs`: what its build needs. */
export function whyDown(protocol: 'SRT' | 'UDP', reason: string, needs = ''): { reason: string; message: string } {
  if (reason === 'missing') {
    return { reason, message: `The ${protocol} endpoint is missing: build it with "make build"${needs}` };
  }
  return { reason: 'crashed', message: `The ${protocol} endpoint ended (${reason}); it is started again` };
}

export class Endpoint<Event extends NamedEvent, Operation extends object> {
  private readonly options: EndpointOptions<Event>;
  private readonly backoff: Backoff;
  private process: EndpointProcess<Event> | undefined;
  state: EndpointState = { phase: 'starting' };
  private retry: ReturnType<typeof setTimeout> | undefined;
  private startedAt = 0;
  private starts = 0;
  private isClosed = false;

  constructor(options: EndpointOptions<Event>) {
    this.options = options;
    this.backoff = options.backoff ?? createBackoff();
    // Deferred, because the caller's handlers may need the object that is created here.
    queueMicrotask(() => this.start());
  }

  private start(): void {
    if (this.isClosed) return;
    this.state = { phase: 'starting' };
    this.startedAt = performance.now();
    const { environment = {}, timing: chosen = timing.endpoint, command, ...rest } = this.options;
    try {
      const child = new EndpointProcess<Event>({
        ...rest,
        command: command(),
        environment,
        timing: chosen,
        onHello: () => this.greeted(),
      });
      this.process = child;
      void child.ended.then((reason) => this.down(reason));
    } catch (error) {
      this.down(existsSync(rest.binary) ? String(error) : 'missing');
    }
  }

  /** Returns false while the endpoint is not running; send it again from `onStart`. */
  send(operation: Operation): boolean {
    return this.process?.send(operation) ?? false;
  }

  /** Returns false if the bytes were dropped: the endpoint is not running, or too much is queued. */
  sendData(feed: number, flags: number, bytes: Uint8Array): boolean {
    return this.process?.sendData(feed, flags, bytes) ?? false;
  }

  async close(reason: string): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.retry);
    this.options.log.info(`${this.options.name} stops`, { reason });
    await this.process?.stop();
    this.state = { phase: 'stopped' };
  }

  private greeted(): void {
    const child = this.process;
    if (!child) return;
    this.state = { phase: 'running', pid: child.pid, restarts: this.starts++ };
    this.options.log.info(`${this.options.name} started`, { pid: child.pid });
    this.options.onStart();
  }

  private down(reason: string): void {
    this.process = undefined;
    if (this.isClosed) return;
    this.backoff.ended(performance.now() - this.startedAt);
    const retryInMs = this.backoff.next(false);
    this.state = { phase: 'waiting', reason, retryInMs };
    this.options.log.error(`${this.options.name} is down`, { reason, 'retry-in-ms': Math.round(retryInMs) });
    this.retry = setTimeout(() => this.start(), retryInMs);
    this.options.onDown(reason);
  }
}
