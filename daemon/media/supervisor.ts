/**
 * Keeps one media engine running and connected: adopts one that is already running (it outlives the hub), replaces one
 * of another version, starts a new one if there is none, and restarts it when it dies.
 */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../lib/log.ts';
import type { Timing } from '../timing.ts';
import { connectEngine, type EngineLink, type EngineNews } from './engine-link.ts';
import {
  boundLog,
  isAlive,
  lastStarted,
  markProcess,
  type ProcessMark,
  signal,
  startEngine,
} from './engine-process.ts';
import { engineProtocol } from './protocol/messages.ts';

export type SupervisorTiming = Timing['supervisor'];

/** `hung`: it did not answer and was killed. `ended`: its process exited, or was killed from outside. */
export type LossCause = 'hung' | 'ended';

interface SupervisorOptions {
  readonly dataDir: string;
  readonly socket: string;
  /** Throws if a program is missing. */
  readonly command: () => readonly string[];
  readonly log: Log;
  readonly timing: SupervisorTiming;
  onNews(news: EngineNews): void;
  onUp(link: EngineLink): void;
  /** Another engine has replaced one that was lost. */
  onReplaced(cause: LossCause): void;
  /** `retryInMs` is 0 if the next attempt starts immediately. */
  onDown(reason: string, retryInMs: number): void;
}

const silentChecksBeforeKill = 3;
const connectEveryMs = 15;
const noAnswer = 'it does not answer';

/** Returns the milliseconds before the attempt that follows the given number of consecutive failures. */
export function restartDelay(failures: number, timing: SupervisorTiming): number {
  if (failures <= 1) return 0;
  return Math.min(timing.lastBackoffMs, timing.firstBackoffMs * 2 ** Math.min(failures - 2, 20));
}

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  #link: EngineLink | undefined;
  /** The process of the connected engine, or the one that is being started. */
  #process: ProcessMark | undefined;
  #lost: { readonly cause: LossCause; readonly pid: number } | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends all streams: asks the engine to stop and kills it if it does not. */
  async close(reason: string): Promise<void> {
    this.#closing.abort();
    this.#link?.sendStop(reason);
    if (!this.#link && this.#process) signal(this.#process, 'SIGTERM');
    if (this.#process) await this.#makeEnd(this.#process);
    this.#link?.close(reason);
    await this.#running;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#closing.signal.aborted) {
      const since = performance.now();
      const reason = await this.#attempt().catch((error: unknown) => String(error));
      if (this.#closing.signal.aborted) return;
      if (performance.now() - since >= this.#options.timing.goodRunMs) failures = 0;
      failures += 1;
      const wait = restartDelay(failures, this.#options.timing);
      this.#options.log.warn('media engine is down', { reason, 'retry-in-ms': wait });
      this.#options.onDown(reason, wait);
      await this.#pause(wait);
    }
  }

  /** One life of the engine, from finding or starting it to its end. Returns why it ended. */
  async #attempt(): Promise<string> {
    const found = (await this.#adopt()) ?? (await this.#startNew());
    if (typeof found === 'string') return found;
    this.#link = found;
    this.#process = markProcess(found.hello.pid);
    this.#options.log.info('media engine connected', { pid: found.hello.pid });
    // After a broken connection, the same engine may be found again.
    if (this.#lost && this.#lost.pid !== found.hello.pid) this.#options.onReplaced(this.#lost.cause);
    this.#lost = undefined;
    this.#options.onUp(found);
    const stopWatching = this.#watchSilence(found);
    const reason = await found.closed;
    const hung = stopWatching();
    this.#link = undefined;
    this.#lost = { cause: hung ? 'hung' : 'ended', pid: found.hello.pid };
    return reason;
  }

  /** Returns the running engine if it has our protocol version. Ends any other process that occupies its socket. */
  async #adopt(): Promise<EngineLink | undefined> {
    const found = await this.#connect();
    if (found === 'absent') {
      // A known engine that no longer listens is ending; one that a previous hub started may still be starting.
      if (this.#process) await this.#makeEnd(this.#process);
      const starting = lastStarted(this.#options.dataDir);
      const link = starting && (await this.#awaitHello(() => (isAlive(starting) ? undefined : 'it ended')));
      if (typeof link === 'object') return this.#ifOurs(link);
      if (starting && link === noAnswer) this.#lost ??= { cause: 'hung', pid: starting.pid };
      if (starting) await this.#makeEnd(starting);
    } else if (found === 'silent') {
      this.#options.log.warn('the running media engine does not answer and is replaced');
      // An engine that just ended may have left a socket that still accepts a connection.
      this.#lost ??= { cause: 'hung', pid: 0 };
      const left = this.#process ?? lastStarted(this.#options.dataDir);
      if (left) await this.#makeEnd(left);
    } else {
      return this.#ifOurs(found);
    }
    return undefined;
  }

  /** Ends an engine of another version. */
  async #ifOurs(link: EngineLink): Promise<EngineLink | undefined> {
    if (link.hello.protocol === engineProtocol) return link;
    await this.#replace(link);
    return undefined;
  }

  async #replace(link: EngineLink): Promise<void> {
    const { pid, protocol } = link.hello;
    this.#options.log.info('another media engine is replaced', { pid, protocol, ours: engineProtocol });
    link.sendStop('replaced by another engine');
    await Promise.race([link.closed, this.#pause(this.#options.timing.stopMs)]);
    link.close('replaced');
    const mark = markProcess(pid);
    if (mark) await this.#makeEnd(mark);
  }

  async #startNew(): Promise<EngineLink | string> {
    const { dataDir, command, log } = this.#options;
    if (this.#closing.signal.aborted) return 'the hub stops';
    const child = startEngine(dataDir, command());
    const end = endOf(child);
    this.#process = markProcess(child.pid ?? 0);
    log.info('media engine started', { pid: child.pid });
    let link = await this.#awaitHello(end);
    // An engine that an earlier hub left may start to listen only now, instead of ours. Only one of them may stay, and
    // that is ours: the next hub finds it by its process id.
    if (typeof link === 'object' && link.hello.pid !== child.pid) {
      await this.#replace(link);
      link = await this.#awaitHello(end);
    }
    if (typeof link === 'object' && link.hello.protocol === engineProtocol) return link;
    if (this.#process) await this.#makeEnd(this.#process);
    return typeof link === 'string' ? link : `it speaks protocol ${link.hello.protocol}, not ${engineProtocol}`;
  }

  /** Tries to connect until the engine sends hello, `end` reports that it ended, or the start timeout expires. */
  async #awaitHello(end: () => string | undefined): Promise<EngineLink | string> {
    const deadline = performance.now() + this.#options.timing.startMs;
    while (performance.now() < deadline && !this.#closing.signal.aborted) {
      const ended = end();
      const found = await this.#connect();
      if (typeof found === 'object') return found;
      if (found === 'silent') return noAnswer;
      if (ended !== undefined) return ended;
      await this.#pause(connectEveryMs);
    }
    return 'it did not start in time';
  }

  async #connect(): Promise<EngineLink | 'silent' | 'absent'> {
    const { socket, timing, onNews } = this.#options;
    const attempt = await connectEngine({ path: socket, helloTimeoutMs: timing.helloMs, onNews });
    return attempt.link ?? attempt.failed;
  }

  /** Returns a function that ends the watch and returns whether the engine was killed. */
  #watchSilence(link: EngineLink): () => boolean {
    let isKilled = false;
    let lastHeard = link.heardAt();
    let silent = 0;
    // Counted in checks, not in time: after a suspended machine wakes, the engine gets to run first.
    const timer = setInterval(() => {
      silent = link.heardAt() === lastHeard ? silent + 1 : 0;
      lastHeard = link.heardAt();
      this.#boundLog();
      if (silent < silentChecksBeforeKill) return;
      this.#options.log.error('media engine hangs and is killed');
      isKilled = true;
      if (this.#process) signal(this.#process, 'SIGKILL');
      link.close('it hung');
    }, this.#options.timing.silenceCheckMs);
    return () => {
      clearInterval(timer);
      return isKilled;
    };
  }

  /** A full disk must not end the watch. */
  #boundLog(): void {
    try {
      boundLog(this.#options.dataDir);
    } catch (error) {
      this.#options.log.warn('the log of the media engine could not be shortened', { reason: String(error) });
    }
  }

  /** Waits for the end of a process that was asked to end, or should have ended; then kills it. */
  async #makeEnd(mark: ProcessMark): Promise<void> {
    const deadline = performance.now() + this.#options.timing.stopMs;
    while (isAlive(mark) && performance.now() < deadline) await delay(connectEveryMs);
    if (isAlive(mark)) this.#options.log.warn('media engine did not end in time and is killed', { pid: mark.pid });
    signal(mark, 'SIGKILL');
    while (isAlive(mark) && performance.now() < deadline + this.#options.timing.stopMs) await delay(connectEveryMs);
  }

  async #pause(ms: number): Promise<void> {
    if (ms <= 0) return;
    await delay(ms, undefined, { signal: this.#closing.signal }).catch(() => {});
  }
}

/** Returns why a process that we started ended; undefined while it runs. */
function endOf(child: ChildProcess): () => string | undefined {
  let reason: string | undefined;
  child.once('error', (error) => {
    reason = `it could not be started: ${error.message}`;
  });
  child.once('exit', (code, signalName) => {
    reason = `it ended at once with ${signalName ?? `code ${code}`}, see log/engine.log`;
  });
  return () => reason;
}
