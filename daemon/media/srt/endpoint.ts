/** Keeps one SRT endpoint running: starts it, starts it again when it ends, and hands operations and media through. */
import { existsSync } from 'node:fs';
import type { Log } from '../../lib/log.ts';
import { type Backoff, createBackoff } from '../backoff.ts';
import { EndpointProcess, type EndpointTiming, endpointTiming } from './endpoint-process.ts';
import type { EndpointEvent, EndpointOperation } from './protocol.ts';

export interface SrtEndpointOptions {
  readonly binary: string;
  /** Where the endpoint connects to; in a folder of the owner alone. */
  readonly socketPath: string;
  readonly log: Log;
  /** The endpoint runs and knows nothing: send listen, keys, calls and what the feeds hold. */
  onStart(): void;
  /** It is gone, and every connection with it. `missing`: the program isn't there. */
  onDown(reason: string): void;
  onEvent(event: EndpointEvent): void;
  /** `bytes` are whole TS packets and good during the call only. `lost`: bytes before these were thrown away. */
  onData(id: number, isCall: boolean, bytes: Uint8Array, lost: boolean): void;
  /** Environment of the process; nothing is inherited. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly backoff?: Backoff;
  readonly timing?: EndpointTiming;
}

export type SrtEndpointState =
  | { readonly phase: 'starting' }
  | { readonly phase: 'running'; readonly pid: number; readonly libsrt: string; readonly restarts: number }
  | { readonly phase: 'waiting'; readonly reason: string; readonly retryInMs: number }
  | { readonly phase: 'stopped' };

export interface SrtEndpoint {
  /** False while the endpoint isn't running; `onStart` is the time to say it again. */
  send(operation: EndpointOperation): boolean;
  /** False when the bytes were dropped: not running, or too much waits already. */
  sendData(feed: number, flags: number, bytes: Uint8Array): boolean;
  state(): SrtEndpointState;
  close(reason: string): Promise<void>;
}

export function createSrtEndpoint(options: SrtEndpointOptions): SrtEndpoint {
  const supervisor = new Supervisor(options);
  // Not at once: the caller's handlers may need what it is about to get.
  queueMicrotask(() => supervisor.start());
  return supervisor;
}

class Supervisor implements SrtEndpoint {
  readonly #options: SrtEndpointOptions;
  readonly #backoff: Backoff;
  #process: EndpointProcess | undefined;
  #state: SrtEndpointState = { phase: 'starting' };
  #retry: ReturnType<typeof setTimeout> | undefined;
  #startedAt = 0;
  #starts = 0;
  #isClosed = false;

  constructor(options: SrtEndpointOptions) {
    this.#options = options;
    this.#backoff = options.backoff ?? createBackoff();
  }

  start(): void {
    if (this.#isClosed) return;
    this.#state = { phase: 'starting' };
    this.#startedAt = performance.now();
    const { binary, socketPath, log, onEvent, onData, environment } = this.#options;
    try {
      const child = new EndpointProcess({
        binary,
        socketPath,
        log,
        environment: environment ?? {},
        timing: this.#options.timing ?? endpointTiming,
        onEvent,
        onData,
        onHello: () => this.#greeted(),
      });
      this.#process = child;
      void child.ended.then((reason) => this.#down(reason));
    } catch (error) {
      this.#down(existsSync(binary) ? String(error) : 'missing');
    }
  }

  send(operation: EndpointOperation): boolean {
    return this.#process?.send(operation) ?? false;
  }

  sendData(feed: number, flags: number, bytes: Uint8Array): boolean {
    return this.#process?.sendData(feed, flags, bytes) ?? false;
  }

  state(): SrtEndpointState {
    return this.#state;
  }

  async close(reason: string): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#options.log.info('SRT endpoint stops', { reason });
    await this.#process?.stop();
    this.#state = { phase: 'stopped' };
  }

  #greeted(): void {
    const child = this.#process;
    if (!child) return;
    this.#state = { phase: 'running', pid: child.pid, libsrt: child.version, restarts: this.#starts++ };
    this.#options.log.info('SRT endpoint started', { pid: child.pid, libsrt: child.version });
    this.#options.onStart();
  }

  #down(reason: string): void {
    this.#process = undefined;
    if (this.#isClosed) return;
    this.#backoff.ended(performance.now() - this.#startedAt);
    const retryInMs = this.#backoff.next(false);
    this.#state = { phase: 'waiting', reason, retryInMs };
    this.#options.log.error('SRT endpoint is down', { reason, 'retry-in-ms': Math.round(retryInMs) });
    this.#retry = setTimeout(() => this.start(), retryInMs);
    this.#options.onDown(reason);
  }
}
