/** One process that loads the NDI library, with its IPC channel, from start to end. */
import { connect, type Socket } from 'node:net';
import type { Subprocess } from 'bun';
import { createJsonLineReader } from '../ipc/json-lines.ts';
import type { Log } from '../lib/log.ts';
import type { ChildLink } from '../process/supervisor.ts';
import { logLines } from './child-log.ts';
import { ChildMessage, type HubMessage, maxMessageBytes, messageFault, ndiProtocol } from './messages.ts';

export type Greeting = Extract<ChildMessage, { type: 'hello' }>;
export type LoadFault = Extract<ChildMessage, { type: 'fault' }>;

export interface NdiProcessOptions {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly startMs: number;
  readonly log: Log;
  /** Descriptors of pipes with raw frames; by default there is neither input nor output. */
  readonly stdin?: number;
  readonly stdout?: number;
  /** Called after the hello. */
  onMessage(message: ChildMessage): void;
}

const endMs = 1000;

/** With them, Bun's `process.send` in the child uses the channel. The `ipc` of `Bun.spawn` has no limit for messages. */
const channelDescriptor = 3;
const channelVariables = { NODE_CHANNEL_FD: `${channelDescriptor}`, NODE_CHANNEL_SERIALIZATION_MODE: 'json' };

export class NdiProcess implements ChildLink {
  readonly pid: number;
  readonly closed: Promise<string>;
  /** Version of the library, such as `6.3.2.0`; '' before the hello. */
  version = '';
  /** Whether the library says that it is a simulator; false before the hello. */
  isSimulator = false;
  /** The first message of the process, or the reason why it ended without one; then no process is left. */
  readonly greeting: Promise<Greeting | LoadFault | string>;
  readonly #options: NdiProcessOptions;
  readonly #process: Subprocess<'ignore' | number, 'ignore' | number, 'pipe'>;
  readonly #channel: Socket;
  readonly #disconnected = Promise.withResolvers<void>();
  readonly #first = Promise.withResolvers<Greeting | LoadFault | string>();
  #isGreeted = false;
  #heardAt = performance.now();
  #reason = '';
  #endTimer: Timer | undefined;

  /** Throws if the program cannot be started. */
  constructor(options: NdiProcessOptions) {
    this.#options = options;
    this.#process = Bun.spawn([...options.command], {
      stdio: [options.stdin ?? 'ignore', options.stdout ?? 'ignore', 'pipe', 'socket-fd'],
      env: { ...options.environment, ...channelVariables },
    });
    this.pid = this.#process.pid;
    this.#channel = this.#openChannel();
    this.closed = this.#run();
    this.greeting = this.#first.promise;
  }

  heardAt(): number {
    return this.#heardAt;
  }

  ping(): void {
    this.send({ type: 'ping' });
  }

  /** Does nothing while the process is ending; `closed` resolves then. */
  send(message: HubMessage): void {
    if (!this.#channel.writable || this.#process.killed) return;
    this.#channel.write(`${JSON.stringify(message)}\n`);
    if (this.#channel.writableLength > maxMessageBytes) this.kill('it does not read its messages');
  }

  kill(reason: string): void {
    this.#reason ||= reason;
    this.#process.kill('SIGKILL');
  }

  #openChannel(): Socket {
    const read = createJsonLineReader({
      maxBytes: maxMessageBytes,
      onValue: (value) => this.#receive(value),
      onFault: (reason) => this.kill(`it sent ${reason}`),
    });
    const fd = this.#process.stdio[channelDescriptor];
    if (typeof fd !== 'number') throw new Error('the process has no channel');
    return (
      connect({ fd, path: '' })
        .on('data', (bytes: Buffer) => read(bytes))
        // The process has just ended; `closed` tells how.
        .on('error', () => undefined)
        // A process without a channel is about to end, and its exit status is the better reason.
        .on('close', () => {
          this.#disconnected.resolve();
          this.#endTimer = setTimeout(() => this.kill('it closed its channel'), endMs);
        })
    );
  }

  async #run(): Promise<string> {
    const late = setTimeout(() => this.kill('it did not start in time'), this.#options.startMs);
    void this.#first.promise.then(() => clearTimeout(late));
    const [code] = await Promise.all([
      this.#process.exited,
      logLines(this.#process.stderr, this.#options.log),
      this.#disconnected.promise,
    ]);
    clearTimeout(this.#endTimer);
    const signal = this.#process.signalCode;
    const reason = this.#reason || (signal ? `ended by ${signal}` : `ended with code ${code}`);
    this.#first.resolve(reason);
    return reason;
  }

  #receive(value: unknown): void {
    // What arrived before it was killed.
    if (this.#reason !== '') return;
    this.#heardAt = performance.now();
    const parsed = ChildMessage.safeParse(value);
    if (!parsed.success) {
      this.kill(`it sent an invalid message: ${messageFault(parsed.error)}`);
      return;
    }
    const message = parsed.data;
    if (this.#isGreeted) this.#options.onMessage(message);
    else if (message.type === 'fault') this.#first.resolve(message);
    else if (message.type === 'hello' && message.protocol === ndiProtocol) {
      this.#isGreeted = true;
      this.version = message.version;
      this.isSimulator = message.isSimulator;
      this.#first.resolve(message);
    } else this.kill('it speaks another protocol');
  }
}
