/**
 * A process that outlives the hub. It listens on a socket; a starting hub tries that first and adopts the process if it
 * speaks our version of the protocol. A process of another version is stopped and replaced, and one that does not
 * answer is killed. If a unit of the system starts the process, the hub only connects to it.
 */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { LinkMessages, MessageLink } from '../ipc/message-link.ts';
import type { Log } from '../lib/log.ts';
import { boundLog, createLog, type LastingPlace, lastStarted, startLasting } from './lasting-files.ts';
import { isAlive, markProcess, type ProcessMark, signal } from './process-mark.ts';
import type { Attempt, Child, SupervisorTiming } from './supervisor.ts';

interface LastingOptions<Messages extends LinkMessages> extends LastingPlace {
  /** For the log: `media engine`. */
  readonly name: string;
  /** Protocol version that it must speak. */
  readonly protocol: number;
  /** Whether the hub starts and stops the process. Otherwise a unit of the system does. */
  readonly isOurs: boolean;
  /** Throws if a program is missing. */
  readonly command: () => readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly log: Log;
  readonly timing: SupervisorTiming;
  /** `absent`: no process listens. `silent`: one accepted the connection but sent no valid hello. */
  connect(): Promise<MessageLink<Messages> | 'silent' | 'absent'>;
}

const connectEveryMs = 15;
/** A unit may be stopped for days: trying to connect takes about 1% of a core then, and 4% at the interval above. */
const connectToUnitEveryMs = 100;
const noAnswer = 'it does not answer';

export class LastingProcess<Messages extends LinkMessages> implements Child<MessageLink<Messages>> {
  readonly #options: LastingOptions<Messages>;
  /** The connected process, or the one that is being started. */
  #process: ProcessMark | undefined;

  constructor(options: LastingOptions<Messages>) {
    this.#options = options;
  }

  async open(attempt: Attempt): Promise<MessageLink<Messages> | string> {
    const { isOurs } = this.#options;
    if (!isOurs) this.#tendLog(createLog);
    const found = (await this.#adopt(attempt)) ?? (await (isOurs ? this.#startNew(attempt) : this.#awaitUnit(attempt)));
    if (typeof found === 'object') this.#process = markProcess(found.pid);
    return found;
  }

  kill(link: MessageLink<Messages>, reason: string): void {
    if (this.#process) signal(this.#process, 'SIGKILL');
    link.close(reason);
  }

  async stop(link: MessageLink<Messages>, reason: string): Promise<void> {
    link.sendStop(reason);
    if (this.#process) await this.#makeEnd(this.#process);
    link.close(reason);
  }

  async close(link: MessageLink<Messages> | undefined, reason: string): Promise<void> {
    if (!this.#options.isOurs) link?.close(reason);
    else if (link) await this.stop(link, reason);
    else if (this.#process) {
      signal(this.#process, 'SIGTERM');
      await this.#makeEnd(this.#process);
    }
  }

  leave(link: MessageLink<Messages> | undefined, reason: string): void {
    link?.close(reason);
  }

  tidy(): void {
    this.#tendLog(boundLog);
  }

  /** A full disk must not end the watch. */
  #tendLog(act: (place: LastingPlace) => void): void {
    const { name, log } = this.#options;
    try {
      act(this.#options);
    } catch (error) {
      log.warn(`the log file of the ${name} cannot be written`, { reason: String(error) });
    }
  }

  /** Returns the running process if it has our protocol version. Ends any other process that occupies its socket. */
  async #adopt(attempt: Attempt): Promise<MessageLink<Messages> | undefined> {
    const { name, log, isOurs } = this.#options;
    const found = await this.#options.connect();
    if (found === 'absent') {
      // A known process that no longer listens is ending; one that a previous hub started may still be starting.
      if (this.#process) await this.#makeEnd(this.#process);
      const starting = lastStarted(this.#options);
      const link = starting && (await this.#awaitHello(attempt, () => (isAlive(starting) ? undefined : 'it ended')));
      if (typeof link === 'object') return this.#ifSameVersion(link);
      // The wait ended early because the hub stops. A process with a unit of its own continues without it.
      if (attempt.closing.aborted && !isOurs) return undefined;
      if (starting && link === noAnswer) attempt.foundHung(starting.pid);
      if (starting) await this.#makeEnd(starting);
    } else if (found === 'silent') {
      log.warn(`the running ${name} does not answer and is replaced`);
      // A process that just ended may have left a socket that still accepts a connection.
      attempt.foundHung(0);
      // A unit may have started another one since.
      const known = this.#process && isAlive(this.#process) ? this.#process : undefined;
      const left = known ?? lastStarted(this.#options);
      if (left) await this.#makeEnd(left);
    } else {
      return this.#ifSameVersion(found);
    }
    return undefined;
  }

  /** Ends a process of another version. */
  async #ifSameVersion(link: MessageLink<Messages>): Promise<MessageLink<Messages> | undefined> {
    if (link.hello.protocol === this.#options.protocol) return link;
    await this.#replace(link);
    return undefined;
  }

  async #replace(link: MessageLink<Messages>): Promise<void> {
    const { name, log, protocol: ours } = this.#options;
    const { pid, protocol } = link.hello;
    log.info(`another ${name} is replaced`, { pid, protocol, ours });
    const mark = markProcess(pid);
    link.sendStop('replaced by another one');
    if (mark) await this.#makeEnd(mark);
    link.close('replaced');
  }

  async #startNew(attempt: Attempt): Promise<MessageLink<Messages> | string> {
    const { name, command, environment, log, protocol } = this.#options;
    if (attempt.closing.aborted) return 'the hub is shutting down';
    const child = startLasting(this.#options, command(), environment);
    const end = endOf(child, this.#options);
    this.#process = markProcess(child.pid ?? 0);
    log.info(`${name} started`, { pid: child.pid });
    let link = await this.#awaitHello(attempt, end);
    // A process that an earlier hub left may start to listen only now, instead of ours. Only one of them may stay, and
    // that is ours: the next hub finds it by its process id.
    if (typeof link === 'object' && link.pid !== child.pid) {
      await this.#replace(link);
      link = await this.#awaitHello(attempt, end);
    }
    if (typeof link === 'object' && link.hello.protocol === protocol) return link;
    if (this.#process) await this.#makeEnd(this.#process);
    return typeof link === 'string' ? link : `it speaks protocol ${link.hello.protocol}, not ${protocol}`;
  }

  /** The system starts the process, also after it ended. */
  async #awaitUnit(attempt: Attempt): Promise<MessageLink<Messages> | string> {
    const link = await this.#awaitHello(attempt, () => undefined, connectToUnitEveryMs);
    if (typeof link !== 'object') return `${link}; its unit starts it`;
    return (
      (await this.#ifSameVersion(link)) ?? 'it had another version and was asked to stop; its unit starts it again'
    );
  }

  /** Tries to connect until the process sends hello, `end` reports that it ended, or the start timeout expires. */
  async #awaitHello(
    { closing }: Attempt,
    end: () => string | undefined,
    everyMs = connectEveryMs,
  ): Promise<MessageLink<Messages> | string> {
    const deadline = performance.now() + this.#options.timing.startMs;
    while (performance.now() < deadline && !closing.aborted) {
      const ended = end();
      const found = await this.#options.connect();
      if (typeof found === 'object') return found;
      if (found === 'silent') return noAnswer;
      if (ended !== undefined) return ended;
      await delay(everyMs);
    }
    return 'it did not start in time';
  }

  /** Waits for the end of a process that was asked to end, or should have ended; then kills it. */
  async #makeEnd(mark: ProcessMark): Promise<void> {
    const { name, log, timing } = this.#options;
    const deadline = performance.now() + timing.stopMs;
    while (isAlive(mark) && performance.now() < deadline) await delay(connectEveryMs);
    if (isAlive(mark)) log.warn(`the ${name} did not end in time and is killed`, { pid: mark.pid });
    signal(mark, 'SIGKILL');
    while (isAlive(mark) && performance.now() < deadline + timing.stopMs) await delay(connectEveryMs);
  }
}

/** Returns why a process that we started ended; undefined while it runs. */
function endOf(child: ChildProcess, { file }: LastingPlace): () => string | undefined {
  let reason: string | undefined;
  child.once('error', (error) => {
    reason = `it could not be started: ${error.message}`;
  });
  child.once('exit', (code, signalName) => {
    reason = `it ended at once with ${signalName ?? `code ${code}`}, see log/${file}.log`;
  });
  return () => reason;
}
