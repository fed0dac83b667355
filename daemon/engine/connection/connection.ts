/**
 * One supervised connection of a channel: an output or a pulled input. It makes attempts one after another, waits
 * between them, and reports the connection states of the contract.
 */

import { connectionStates, sourceStates } from '../../contract/streams.ts';
import type { Log } from '../../lib/log.ts';
import type { ConnectionReason, ConnectionStatus, RefusedCaller, SrtReport } from '../../media/protocol/reported.ts';
import { timing } from '../../timing.ts';
import { type Readings, sendingReadings } from '../quality/readings.ts';
import { type Backoff, createBackoff } from './backoff.ts';
import { createRateMeter } from './rate.ts';

/** One attempt at a connection. It must call `ended` at most once; calls after `close` are ignored. */
export interface Attempt {
  /** Media bytes so far. */
  readonly bytes: number;
  /** Units skipped because the peer was slow. */
  readonly skipped: number;
  readonly srt?: SrtReport | undefined;
  /** Milliseconds of media in the send queue, if there is one. */
  readonly queueMs?: number | undefined;
  /** Listeners only: number of connected peers. While it is 0, no data needs to flow. */
  readonly clients?: number | undefined;
  /** Listeners only. */
  readonly refused?: RefusedCaller | undefined;
  /** Why a part of the stream is not sent while the rest is. */
  readonly lacks?: ConnectionReason | undefined;
  close(reason: string): void;
}

export interface AttemptEvents {
  /** The peer answered; packets may flow. */
  connected(): void;
  ended(end: Termination): void;
}

export interface Termination {
  /** A connection state of the contract. */
  readonly conn: number;
  readonly reason: ConnectionReason;
  /** The cause will not go away by itself: wait longer. */
  readonly permanent: boolean;
  /** For the log; contains no secrets. */
  readonly text: string;
}

export interface ConnectionOptions {
  /** `channel 7 output 3`, for the log. */
  readonly name: string;
  readonly log: Log;
  readonly open: (events: AttemptEvents) => Attempt;
  /** Called when the connection state has changed. */
  readonly onChange: () => void;
  readonly backoff?: Backoff;
}

export interface ConnectionView extends ConnectionStatus {
  readonly reconnects: number;
  readonly retryInMs?: number;
  readonly skipped: number;
  readonly clients?: number;
}

/** State of a listener that has no peers but refused a caller. */
const refusedState = { conn: connectionStates.authorizationFailed, reason: 'wrongPassphrase' } as const;

/** Termination of an attempt that could not start: no file descriptors, no memory, or a bug of ours. */
export const unopened = (error: unknown): Termination => ({
  conn: connectionStates.creationFailed,
  reason: 'internal',
  permanent: false,
  text: `it can't begin: ${error instanceof Error ? error.message : String(error)}`,
});

export class Connection {
  private readonly options: ConnectionOptions;
  private readonly backoff: Backoff;
  private readonly meter = createRateMeter();
  private desired = false;
  private isIdle = false;
  private offReason: ConnectionReason = 'switchedOff';
  private attempt: Attempt | undefined;
  private attempts = 0;
  private connectedAt = 0;
  private conn: number = connectionStates.waiting;
  private end: Termination | undefined;
  private retryAt = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private earlierBytes = 0;
  private earlierSkipped = 0;
  private isClosed = false;

  constructor(options: ConnectionOptions) {
    this.options = options;
    this.backoff = options.backoff ?? createBackoff();
  }

  get isDesired(): boolean {
    return this.desired;
  }

  /**
   * Switches the connection on or off; `offReason` is the reported reason while it is off. `isIdle`: there is nothing
   * to send yet, and the connection is open only to miss nothing later. Unless it fails, it is shown as off.
   */
  want(on: boolean, offReason: ConnectionReason, isIdle = false): void {
    if (this.isClosed) return;
    this.offReason = offReason;
    const wasIdle = this.isIdle;
    this.isIdle = isIdle;
    if (on !== this.desired) {
      this.desired = on;
      if (on) this.begin();
      else this.halt(offReason);
    } else if (on && isIdle !== wasIdle) {
      if (wasIdle) this.wake();
      this.options.onChange();
    }
  }

  /** Called once per second. */
  tick(nowMs: number): void {
    this.meter.tick(this.bytes, nowMs);
  }

  get bytes(): number {
    return this.earlierBytes + (this.attempt?.bytes ?? 0);
  }

  get isConnected(): boolean {
    return this.conn === connectionStates.connected;
  }

  /** Measurements of an output's connection; undefined while there is none. */
  readings(): Readings | undefined {
    return this.isConnected && !this.isIdle && this.attempt ? sendingReadings(this.attempt) : undefined;
  }

  status(): ConnectionView {
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
    this.desired = false;
    this.halt(reason);
    this.isClosed = true;
  }

  /** Whether the connection is off or shown as off. */
  private get isOff(): boolean {
    return !this.desired || (this.isIdle && this.end === undefined);
  }

  private sourceState(): number {
    if (this.isOff) return sourceStates.offline;
    if (this.end?.reason === 'codecNotPossible') return sourceStates.unsupported;
    if (this.isConnected) return sourceStates.running;
    return this.end ? sourceStates.failed : sourceStates.initializing;
  }

  /** Called when there is something to send. */
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
    const isCurrent = () => number === this.attempts && this.desired;
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

  private ended(end: Termination): void {
    if (this.isConnected) this.backoff.ended(performance.now() - this.connectedAt);
    this.dropAttempt();
    const delay = this.backoff.next(end.permanent);
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

  private move(conn: number, end: Termination | undefined, retryInMs?: number): void {
    const changed = conn !== this.conn || end?.reason !== this.end?.reason;
    // During the next attempt the last failure stays visible.
    if (conn !== connectionStates.connecting) this.end = end;
    this.conn = conn;
    if (!changed) return;
    const { log, name, onChange } = this.options;
    if (end) log.warn(`${name}: ${end.text}`, { reason: end.reason, ...(retryInMs !== undefined && { retryInMs }) });
    else if (conn === connectionStates.connected) log.info(`${name}: connected`);
    onChange();
  }
}
