/**
 * Keeps one child process running and connected: starts it or finds one that is running, restarts it when it ends, and
 * kills it when it hangs. How it is started and spoken to is up to its `Child`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../lib/log.ts';
import type { Timing } from '../timing.ts';
import { watchSilence } from './silence.ts';

export type SupervisorTiming = Timing['supervisor'];
type RestartTiming = Pick<SupervisorTiming, 'firstBackoffMs' | 'lastBackoffMs' | 'goodRunMs' | 'silenceCheckMs'>;

/** `hung`: it did not answer and was killed. `ended`: its process exited, or was killed from outside. */
export type LossCause = 'hung' | 'ended';

/** A running process that has sent a hello with our protocol version. */
export interface ChildLink {
  readonly pid: number;
  /** Why the process or its connection ended; never rejects. */
  readonly closed: Promise<string>;
  /** Time of its last message, by `performance.now()`. */
  heardAt(): number;
  /** Requests a message from a process that may have nothing to report. */
  ping?(): void;
}

export interface Attempt {
  readonly closing: AbortSignal;
  /** Reports that a process of an earlier run did not answer and was ended. */
  foundHung(pid: number): void;
}

/** One kind of process. */
export interface Child<Link extends ChildLink> {
  /** Starts the process or finds it, and waits for its hello. Returns why if that failed; no process is left then. */
  open(attempt: Attempt): Promise<Link | string>;
  /** Ends the process with SIGKILL; `closed` resolves with this reason. */
  kill(link: Link, reason: string): void;
  /** Asks the process to end and kills it if it does not. Resolves when it has ended. */
  stop(link: Link, reason: string): Promise<void>;
  /**
   * Supervision ends: stops the process as well, unless that is up to the system. Without a link, it may be starting, or
   * running with a broken connection.
   */
  close(link: Link | undefined, reason: string): Promise<void>;
  /** Supervision ends, and the process continues for the next one to find it. */
  leave?(link: Link | undefined, reason: string): void;
  /** Called at each check for silence. */
  tidy?(): void;
}

export interface Down {
  readonly reason: string;
  /** 0 if the next attempt starts immediately. */
  readonly retryInMs: number;
  /** Whether it keeps ending: five times within a minute, and since then it has not run for a minute. */
  readonly isFailing: boolean;
}

interface SupervisorOptions<Link extends ChildLink> {
  /** For the log: `media engine`. */
  readonly name: string;
  readonly child: Child<Link>;
  readonly log: Log;
  readonly timing: RestartTiming;
  /** `replaced` is set if the link belongs to another process than the one before, which was lost. */
  onUp(link: Link, replaced: LossCause | undefined): void;
  onDown(down: Down): void;
}

const failingEnds = 5;

/** Returns the milliseconds before the attempt that follows the given number of consecutive failures. */
export function restartDelay(failures: number, timing: RestartTiming): number {
  if (failures <= 1) return 0;
  return Math.min(timing.lastBackoffMs, timing.firstBackoffMs * 2 ** Math.min(failures - 2, 20));
}

export class Supervisor<Link extends ChildLink> {
  readonly #options: SupervisorOptions<Link>;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  #link: Link | undefined;
  /** The process that `restart` ends: it is not lost. */
  #restarted: Link | undefined;
  #lost: { readonly cause: LossCause | 'restarted'; readonly pid: number } | undefined;
  #failures = 0;
  /** When the process ended, the newest last. */
  #ends: number[] = [];
  #isFailing = false;
  #pausing: AbortController | undefined;

  constructor(options: SupervisorOptions<Link>) {
    this.#options = options;
  }

  /** The running process. */
  get link(): Link | undefined {
    return this.#link;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Restarts the process at once, whether it is running or waiting for its next attempt. */
  restart(reason: string): void {
    this.#failures = 0;
    this.#ends = [];
    this.#isFailing = false;
    this.#restarted = this.#link;
    if (this.#link) void this.#options.child.stop(this.#link, reason);
    else this.#pausing?.abort();
  }

  /** Ends the process, and supervision. */
  async close(reason: string): Promise<void> {
    this.#closing.abort();
    this.#pausing?.abort();
    await this.#options.child.close(this.#link, reason);
    await this.#running;
  }

  /** Ends supervision without ending a process that outlives it. */
  async leave(reason: string): Promise<void> {
    this.#closing.abort();
    this.#pausing?.abort();
    this.#options.child.leave?.(this.#link, reason);
    await this.#running;
  }

  async #run(): Promise<void> {
    const { name, log, timing, onDown } = this.#options;
    while (!this.#closing.signal.aborted) {
      const since = performance.now();
      const reason = await this.#attempt().catch((error: unknown) => String(error));
      if (this.#closing.signal.aborted) return;
      this.#noteEnd(performance.now() - since);
      const retryInMs = restartDelay(this.#failures, timing);
      log.warn(`${name} is down`, { reason, 'retry-in-ms': retryInMs });
      onDown({ reason, retryInMs, isFailing: this.#isFailing });
      await this.#pause(retryInMs);
    }
  }

  #noteEnd(ranMs: number): void {
    const { goodRunMs } = this.#options.timing;
    const now = performance.now();
    if (ranMs >= goodRunMs) {
      this.#failures = 0;
      this.#isFailing = false;
    }
    this.#failures += 1;
    this.#ends = [...this.#ends.filter((at) => now - at < goodRunMs), now].slice(-failingEnds);
    if (this.#ends.length === failingEnds) this.#isFailing = true;
  }

  /** One life of the process, from finding or starting it to its end. Returns why it ended. */
  async #attempt(): Promise<string> {
    const { name, child, log, onUp } = this.#options;
    const closing = this.#closing.signal;
    const found = await child.open({
      closing,
      foundHung: (pid) => {
        this.#lost ??= { cause: 'hung', pid };
      },
    });
    if (typeof found === 'string') return found;
    this.#link = found;
    log.info(`${name} connected`, { pid: found.pid });
    // After a broken connection, the same process may be found again.
    const lost = this.#lost?.pid === found.pid ? undefined : this.#lost?.cause;
    this.#lost = undefined;
    onUp(found, lost === 'restarted' ? undefined : lost);
    // It was closed while it started.
    if (closing.aborted) void child.close(found, 'stopped');
    const stopWatching = this.#watchSilence(found);
    const reason = await found.closed;
    const hung = stopWatching();
    this.#link = undefined;
    const cause = this.#restarted === found ? 'restarted' : hung ? 'hung' : 'ended';
    this.#lost = { cause, pid: found.pid };
    this.#restarted = undefined;
    return reason;
  }

  /** Returns a function that ends the watch and returns whether the process was killed. */
  #watchSilence(link: Link): () => boolean {
    const { name, child, log, timing } = this.#options;
    return watchSilence(link, {
      checkMs: timing.silenceCheckMs,
      onCheck: () => child.tidy?.(),
      onHung() {
        log.error(`${name} hangs and is killed`);
        child.kill(link, 'it hung');
      },
    });
  }

  async #pause(ms: number): Promise<void> {
    if (ms <= 0 || this.#closing.signal.aborted) return;
    this.#pausing = new AbortController();
    await delay(ms, undefined, { signal: this.#pausing.signal }).catch(() => {});
    this.#pausing = undefined;
  }
}
