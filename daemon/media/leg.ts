/**
 * One supervised connection of a channel: an output, or an input that is fetched. It makes attempts one after another,
 * waits between them, and knows in the console's words what it is doing.
 */

import { connectionStates, sourceStates } from '../contract/streams.ts';
import type { Log } from '../lib/log.ts';
import { timing } from '../timing.ts';
import { type Backoff, createBackoff } from './backoff.ts';
import { type Readings, sendingReadings } from './quality/readings.ts';
import { createRateMeter } from './rate.ts';
import type { LegReason, LegStatus, RefusedCaller, SrtReport } from './status.ts';

/** One attempt at a connection. It must call `ended` exactly once, also after `close`. */
export interface Attempt {
  /** Media bytes so far. */
  readonly bytes: number;
  /** Units left out because the far end was slow. */
  readonly skipped: number;
  readonly srt?: SrtReport | undefined;
  /** Milliseconds of media that wait, where there is a queue. */
  readonly queueMs?: number | undefined;
  /** Of one that listens: how many are connected. Nothing needs to flow while nobody is. */
  readonly clients?: number | undefined;
  /** Of one that listens. */
  readonly refused?: RefusedCaller | undefined;
  /** What of the stream does not go out, while the rest does. */
  readonly lacks?: LegReason | undefined;
  close(reason: string): void;
}

export interface AttemptEvents {
  /** The far end answered; packets may flow. */
  connected(): void;
  ended(end: LegEnd): void;
}

export interface LegEnd {
  /** One of the contract's connection states. */
  readonly conn: number;
  readonly reason: LegReason;
  /** The cause won't go away by itself: wait longer. */
  readonly hopeless: boolean;
  /** For the log; without secrets. */
  readonly text: string;
}

export interface LegOptions {
  /** `channel 7 output 3`, for the log. */
  readonly name: string;
  readonly log: Log;
  readonly open: (events: AttemptEvents) => Attempt;
  /** Called when the connection state changed. */
  readonly onChange: () => void;
  readonly backoff?: Backoff;
}

export interface LegView extends LegStatus {
  readonly reconnects: number;
  readonly retryInMs?: number;
  readonly skipped: number;
  readonly clients?: number;
}

/** Of one that listens and has nobody but turned a caller away. */
const refusedState = { conn: connectionStates.authorizationFailed, reason: 'wrongPassphrase' } as const;

/** The end of an attempt that could not even begin: no file descriptors, no memory, a fault of ours. */
export const unopened = (error: unknown): LegEnd => ({
  conn: connectionStates.creationFailed,
  reason: 'internal',
  hopeless: false,
  text: `it can't begin: ${error instanceof Error ? error.message : String(error)}`,
});

export class Leg {
  private readonly options: LegOptions;
  private readonly backoff: Backoff;
  private readonly meter = createRateMeter();
  private wanted = false;
  private isIdle = false;
  private offReason: LegReason = 'switchedOff';
  private attempt: Attempt | undefined;
  private attempts = 0;
  private connectedAt = 0;
  private conn: number = connectionStates.waiting;
  private end: LegEnd | undefined;
  private retryAt = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private earlierBytes = 0;
  private earlierSkipped = 0;
  private isClosed = false;

  constructor(options: LegOptions) {
    this.options = options;
    this.backoff = options.backoff ?? createBackoff();
  }

  get isWanted(): boolean {
    return this.wanted;
  }

  /**
   * Switches the leg on or off; `offReason` says why it is off. `isIdle`: there is nothing to send, and it is on only to
   * miss nothing of what comes; as long as it doesn't fail it shows as off.
   */
  want(on: boolean, offReason: LegReason, isIdle = false): void {
    if (this.isClosed) return;
    this.offReason = offReason;
    const wasIdle = this.isIdle;
    this.isIdle = isIdle;
    if (on !== this.wanted) {
      this.wanted = on;
      if (on) this.begin();
      else this.halt(offReason);
    } else if (on && isIdle !== wasIdle) {
      if (wasIdle) this.wake();
      this.options.onChange();
    }
  }

  /** Once a second. */
  tick(nowMs: number): void {
    this.meter.tick(this.bytes, nowMs);
  }

  get bytes(): number {
    return this.earlierBytes + (this.attempt?.bytes ?? 0);
  }

  get isConnected(): boolean {
    return this.conn === connectionStates.connected;
  }

  /** What is known of an output's connection; undefined while there is none. */
  readings(): Readings | undefined {
    return this.isConnected && !this.isIdle && this.attempt ? sendingReadings(this.attempt) : undefined;
  }

  status(): LegView {
    const clients = this.attempt?.clients;
    const silent =
      this.isConnected &&
      clients !== 0 &&
      !this.meter.isFlowing &&
      performance.now() - this.connectedAt > timing.flow.noDataMs;
    const lacks = this.isConnected ? this.attempt?.lacks : undefined;
    const reason = this.isOff ? this.offReason : silent ? 'noData' : (this.end?.reason ?? lacks);
    const srt = this.attempt?.srt;
    const refused = this.isConnected ? this.attempt?.refused : undefined;
    const turnedAway = refused && clients === 0 ? refusedState : undefined;
    return {
      conn: this.isOff ? connectionStates.waiting : silent ? connectionStates.waitingForData : this.conn,
      state: this.sourceState(),
      ...(reason && { reason }),
      ...turnedAway,
      ...(turnedAway && refused && { refused }),
      kbps: this.meter.kbps,
      bytes: this.bytes,
      since: this.meter.since,
      ...(srt && { srt }),
      reconnects: Math.max(0, this.attempts - 1),
      ...(this.retryAt > 0 && { retryInMs: Math.max(0, Math.round(this.retryAt - performance.now())) }),
      skipped: this.earlierSkipped + (this.attempt?.skipped ?? 0),
      ...(clients !== undefined && { clients }),
    };
  }

  close(reason: string): void {
    this.wanted = false;
    this.halt(reason);
    this.isClosed = true;
  }

  /** Or looks like it. */
  private get isOff(): boolean {
    return !this.wanted || (this.isIdle && this.end === undefined);
  }

  private sourceState(): number {
    if (this.isOff) return sourceStates.offline;
    if (this.end?.reason === 'codecNotPossible') return sourceStates.unsupported;
    if (this.isConnected) return sourceStates.running;
    return this.end ? sourceStates.failed : sourceStates.initializing;
  }

  /** There is something to send. */
  private wake(): void {
    this.connectedAt = performance.now();
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.begin();
  }

  private begin(): void {
    this.timer = undefined;
    this.retryAt = 0;
    this.attempts++;
    this.move(connectionStates.connecting, undefined);
    const number = this.attempts;
    const isCurrent = () => number === this.attempts && this.wanted;
    try {
      this.attempt = this.options.open({
        connected: () => {
          if (!isCurrent()) return;
          this.connectedAt = performance.now();
          this.move(connectionStates.connected, undefined);
        },
        ended: (end) => {
          if (isCurrent()) this.ended(end);
        },
      });
    } catch (error) {
      this.ended(unopened(error));
    }
  }

  private ended(end: LegEnd): void {
    if (this.isConnected) this.backoff.ended(performance.now() - this.connectedAt);
    this.dropAttempt();
    const delay = this.backoff.next(end.hopeless);
    this.retryAt = performance.now() + delay;
    this.timer = setTimeout(() => this.begin(), delay);
    this.move(end.conn, end, Math.round(delay));
  }

  private halt(reason: string): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.retryAt = 0;
    const attempt = this.attempt;
    this.dropAttempt();
    attempt?.close(reason);
    this.move(connectionStates.waiting, undefined);
  }

  private dropAttempt(): void {
    this.earlierBytes += this.attempt?.bytes ?? 0;
    this.earlierSkipped += this.attempt?.skipped ?? 0;
    this.attempt = undefined;
  }

  private move(conn: number, end: LegEnd | undefined, retryInMs?: number): void {
    const changed = conn !== this.conn || end?.reason !== this.end?.reason;
    // While it tries again, the last failure stays visible.
    if (conn !== connectionStates.connecting) this.end = end;
    this.conn = conn;
    if (!changed) return;
    const { log, name, onChange } = this.options;
    if (end) log.warn(`${name}: ${end.text}`, { reason: end.reason, ...(retryInMs !== undefined && { retryInMs }) });
    else if (conn === connectionStates.connected) log.info(`${name}: connected`);
    onChange();
  }
}
