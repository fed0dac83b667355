/**
 * One run of a child process that connects to a socket of ours and exchanges frames over it: the process, its socket and
 * its log lines, from start to end.
 */
import { unlinkSync } from 'node:fs';
import type { Socket, Subprocess, UnixSocketListener } from 'bun';
import { createFrameDecoder, createOutQueue, type NamedEvent } from '../ipc/frames.ts';
import { sendWithDescriptor } from '../ipc/send-descriptor.ts';
import type { Log } from '../lib/log.ts';
import { shareInterval } from '../lib/shared-interval.ts';
import type { Timing } from '../timing.ts';
import type { ChildLink } from './supervisor.ts';

export type FramedTiming = Timing['endpoint'];

export interface FramedOptions<Event extends NamedEvent> {
  /** `SRT endpoint`, for the log. */
  readonly name: string;
  /** Protocol version that it must speak. */
  readonly protocol: number;
  /** Returns undefined if the text is not an event of this process. */
  readonly readEvent: (text: string) => Event | undefined;
  /** Socket that the process connects to, in a folder that only the owner can access. */
  readonly socketPath: string;
  readonly command: readonly string[];
  /** Environment of the process; nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: Log;
  readonly timing: FramedTiming;
  onEvent(event: Event): void;
  /** There is room again after `sendData` was refused because the queue was full. */
  onDrain?(): void;
  /** `bytes` are whole TS packets, valid only during the call; `flags` as in its protocol. */
  onData(id: number, flags: number, bytes: Uint8Array): void;
}

/** Limit of media queued for the process; more is dropped. */
export const outgoingLimit = 4 << 20;
/** Control frames must never reach this; if they do, the process does not read. */
const stuckBytes = outgoingLimit + (4 << 20);
const flushAtBytes = 128 << 10;
/** Exit codes of `native/common/link.h` with a specific reason. */
const exitReasons: Readonly<Record<number, string>> = { 3: 'the engine did not read', 4: 'it hung' };

/** Every process answers the operation with the event. */
const ping = { op: 'ping' };
const pong = '{"ev":"pong"}';

export class FramedProcess<Event extends NamedEvent> implements ChildLink {
  readonly closed: Promise<string>;
  readonly pid: number;
  readonly #greeted = Promise.withResolvers<boolean>();
  /** Resolves with true after the hello, with false if the process ends without one. */
  readonly greeted = this.#greeted.promise;
  private readonly options: FramedOptions<Event>;
  private readonly process: Subprocess<'ignore', 'ignore', 'pipe'>;
  private readonly listener: UnixSocketListener<undefined>;
  private readonly queue = createOutQueue(outgoingLimit);
  private readonly startedAt = performance.now();
  private readonly endWatch: () => void;
  private socket: Socket<undefined> | undefined;
  private hasGreeted = false;
  private lastHeard = performance.now();
  private isReady = false;
  private isFlushDue = false;
  private blockedSince = 0;
  private fault: string | undefined;
  private killTimer: ReturnType<typeof setTimeout> | undefined;
  private lostTimer: ReturnType<typeof setTimeout> | undefined;

  /** Throws if the program cannot be started. */
  constructor(options: FramedOptions<Event>) {
    this.options = options;
    this.listener = this.listen();
    try {
      this.process = Bun.spawn([...options.command], {
        stdin: 'ignore',
        stdout: 'ignore',
        stderr: 'pipe',
        env: { ...options.environment },
      });
    } catch (error) {
      this.listener.stop(true);
      throw error;
    }
    this.pid = this.process.pid;
    this.closed = this.run();
    this.endWatch = shareInterval(options.timing.checkMs, () => this.check());
  }

  heardAt(): number {
    return this.lastHeard;
  }

  ping(): void {
    this.send(ping);
  }

  /** Returns false if the process is not ready. */
  send(operation: object): boolean {
    if (!this.isReady) return false;
    this.queue.control(operation);
    this.scheduleFlush();
    return true;
  }

  /**
   * Sends an operation with a descriptor of this process, of which the other one gets a copy. Returns false if the
   * process is not ready or does not read at the moment.
   */
  sendDescriptor(operation: object, descriptor: number): boolean {
    const { socket } = this;
    if (!this.isReady || !socket) return false;
    this.flush();
    if (this.queue.queuedBytes > 0) return false;
    this.queue.control(operation);
    let isPassed = false;
    this.flush((bytes) => {
      if (isPassed) return socket.write(bytes);
      isPassed = true;
      return sendWithDescriptor(socket, bytes, descriptor);
    });
    return true;
  }

  /** Returns false if the bytes were dropped. */
  sendData(feed: number, flags: number, bytes: Uint8Array): boolean {
    if (!this.isReady || !this.queue.data(feed, flags, bytes)) return false;
    if (this.queue.queuedBytes >= flushAtBytes) this.flush();
    else this.scheduleFlush();
    return true;
  }

  async stop(): Promise<void> {
    this.isReady = false;
    this.end('stopped');
    await this.closed;
  }

  kill(reason: string): void {
    this.fault ??= reason;
    this.process.kill('SIGKILL');
  }

  private async run(): Promise<string> {
    const [code] = await Promise.all([this.process.exited, this.readLog()]);
    this.isReady = false;
    this.endWatch();
    clearTimeout(this.killTimer);
    clearTimeout(this.lostTimer);
    this.listener.stop(true);
    this.socket?.end();
    this.#greeted.resolve(false);
    const signal = this.process.signalCode;
    return this.fault ?? exitReasons[code] ?? (signal ? `ended by ${signal}` : `ended with code ${code}`);
  }

  /** Ends the process: SIGTERM first, then SIGKILL. */
  private end(reason: string): void {
    this.fault ??= reason;
    if (this.killTimer || this.process.exitCode !== null) return;
    this.process.kill('SIGTERM');
    this.killTimer = setTimeout(() => this.process.kill('SIGKILL'), this.options.timing.stopMs);
  }

  private listen(): UnixSocketListener<undefined> {
    const { socketPath } = this.options;
    try {
      unlinkSync(socketPath);
    } catch {
      // Usually it does not exist. Any other error makes listen fail with its own reason.
    }
    const take = createFrameDecoder({
      control: (text) => this.readControl(text),
      data: (id, flags, payload) => this.options.onData(id, flags, payload),
    });
    return Bun.listen({
      unix: socketPath,
      socket: {
        open: (socket) => {
          if (this.socket) socket.terminate();
          else this.socket = socket;
        },
        data: (socket, chunk) => {
          if (socket === this.socket) this.read(take, chunk);
        },
        drain: () => this.flush(),
        close: (socket) => {
          if (socket === this.socket) this.lostSocket();
        },
        error: (_socket, error) =>
          this.options.log.warn(`socket of the ${this.options.name}`, { error: error.message }),
      },
    });
  }

  /** Usually the process has just ended, and its exit code or signal is the better reason. */
  private lostSocket(): void {
    this.isReady = false;
    this.lostTimer = setTimeout(() => this.end('closed its socket'), this.options.timing.stopMs);
  }

  private read(take: (chunk: Uint8Array) => void, chunk: Uint8Array): void {
    if (this.fault) return;
    this.lastHeard = performance.now();
    try {
      take(chunk);
    } catch (error) {
      this.options.log.error(`the ${this.options.name} is given up`, { error: String(error) });
      this.end(`protocol error: ${String(error)}`);
    }
  }

  private readControl(text: string): void {
    const { readEvent, onEvent, log, name } = this.options;
    if (text === pong) return;
    const event = readEvent(text);
    if (!event) {
      log.warn(`unknown event of the ${name}`);
      return;
    }
    if (event.ev === 'hello') this.greet(event.version);
    onEvent(event);
  }

  private greet(version: number | undefined): void {
    const { protocol } = this.options;
    this.hasGreeted = true;
    this.isReady = version === protocol && !this.fault;
    if (this.isReady) this.#greeted.resolve(true);
    else this.end(`speaks protocol ${version}, not ${protocol}`);
  }

  private scheduleFlush(): void {
    if (this.isFlushDue || this.blockedSince > 0) return;
    this.isFlushDue = true;
    // Everything produced in this turn of the event loop goes out in one write.
    setImmediate(() => {
      this.isFlushDue = false;
      this.flush();
    });
  }

  private flush(write = (bytes: Uint8Array): number => this.socket?.write(bytes) ?? 0): void {
    if (!this.socket) return;
    const before = this.queue.queuedBytes;
    const wasBlocked = this.blockedSince > 0;
    const isEmpty = this.queue.flush(write);
    if (isEmpty) this.blockedSince = 0;
    else if (this.blockedSince === 0 || this.queue.queuedBytes < before) this.blockedSince = performance.now();
    if (isEmpty && wasBlocked) this.options.onDrain?.();
  }

  private check(): void {
    const now = performance.now();
    const { helloMs, blockedMs } = this.options.timing;
    if (!this.hasGreeted && now - this.startedAt > helloMs) this.end('did not start in time');
    const isBlocked = this.blockedSince > 0 && now - this.blockedSince > blockedMs;
    if (isBlocked || this.queue.queuedBytes > stuckBytes) this.end('does not read');
  }

  /** stderr has lines of `level text`. */
  private async readLog(): Promise<void> {
    const text = new TextDecoder();
    let rest = '';
    for await (const chunk of this.process.stderr) {
      const lines = (rest + text.decode(chunk, { stream: true })).split('\n');
      rest = (lines.pop() ?? '').slice(0, 4096);
      for (const line of lines) this.logLine(line);
    }
    if (rest) this.logLine(rest);
  }

  private logLine(line: string): void {
    const level = /^(info|warn|error) /.exec(line)?.[1];
    const log = this.options.log;
    if (level === 'info') log.info(line.slice(5));
    else if (level === 'warn') log.warn(line.slice(5));
    else log.error(level === 'error' ? line.slice(6) : line);
  }
}
