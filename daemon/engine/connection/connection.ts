/**
 * One supervised connection of a channel: an output or a pulled input. It makes attempts one after another, waits
 * between them, and reports the connection states of the contract.
 */

import { connectionStates, sourceStates } from '../../contract/streams.ts';
import type { Log } from '../../lib/log.ts';
import type { ConnectionReason, OutputStatus, RefusedCaller, SrtReport } from '../../media/protocol/reported.ts';
import { timing } from '../../timing.ts';
import { type Readings, sendingReadings } from '../quality/readings.ts';
import { type Backoff, createBackoff } from './backoff.ts';
import { createRateMeter } from './rate.ts';
import {
  type ConnectionEvent,
  type ConnectionState,
  connOf,
  endOf,
  nextState,
  off,
  type Termination,
} from './state.ts';
import { unopened } from './terminations.ts';

export type { Termination } from './state.ts';

/**
 * One attempt at a connection. Its events may come while it is being opened; all after the first `ended` or after
 * `close` are ignored.
 */
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

export interface ConnectionOptions {
  /** `channel 7 output 3`, for the log. */
  readonly name: string;
  readonly log: Log;
  /** Resolves when an attempt may be opened; undefined to open it immediately. */
  readonly ready?: (() => Promise<unknown> | undefined) | undefined;
  readonly open: (events: AttemptEvents) => Attempt;
  /** Called when the connection state has changed. */
  readonly onChange: () => void;
  readonly backoff?: Backoff;
}

/** State of a listener that has no peers but refused a caller. */
const refusedState = { conn: connectionStates.authorizationFailed, reason: 'wrongPassphrase' } as const;

export class Connection {
  private readonly options: ConnectionOptions;
  private readonly backoff: Backoff;
  private readonly meter = createRateMeter();
  private state: ConnectionState = off;
  private isIdle = false;
  private offReason: ConnectionReason = 'switchedOff';
  private attempt: Attempt | undefined;
  private attempts = 0;
  private connectedAt = 0;
  private retryAt = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private earlierBytes = 0;
  private earlierSkipped = 0;

  constructor(options: ConnectionOptions) {
    this.options = options;
    this.backoff = options.backoff ?? createBackoff();
  }

  get isDesired(): boolean {
    return this.state.is !== 'off' && this.state.is !== 'closed';
  }

  /**
   * Switches the connection on or off; `offReason` is the reported reason while it is off. `isIdle`: there is nothing
   * to send yet, and the connection is open only to miss nothing later. Unless it fails, it is shown as off.
   */
  want(on: boolean, offReason: ConnectionReason, isIdle = false): void {
    this.offReason = offReason;
    const wasIdle = this.isIdle;
    this.isIdle = isIdle;
    if (on !== this.isDesired) {
      this.handle({ event: on ? 'on' : 'off' }, offReason);
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
    return this.state.is === 'connected';
  }

  /** Measurements of an output's connection; undefined while there is none. */
  readings(): Readings | undefined {
    return this.isConnected && !this.isIdle && this.attempt ? sendingReadings(this.attempt) : undefined;
  }

  status(): Omit<OutputStatus, 'id'> {
    const clients = this.attempt?.clients;
    const silent =
      this.isConnected &&
      clients !== 0 &&
      !this.meter.isFlowing &&
      performance.now() - this.connectedAt > timing.flow.noDataMs;
    const lacks = this.isConnected ? this.attempt?.lacks : undefined;
    const reason = this.isOff ? this.offReason : silent ? 'noData' : (endOf(this.state)?.reason ?? lacks);
    const srt = this.attempt?.srt;
    const refused = this.isConnected ? this.attempt?.refused : undefined;
    const turnedAway = refused && clients === 0 ? refusedState : undefined;
    return {
      conn: this.isOff ? connectionStates.waiting : silent ? connectionStates.waitingForData : connOf(this.state),
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
    this.handle({ event: 'close' }, reason);
  }

  /** Whether the connection is off or shown as off. */
  private get isOff(): boolean {
    return !this.isDesired || (this.isIdle && endOf(this.state) === undefined);
  }

  private sourceState(): number {
    if (this.isOff) return sourceStates.offline;
    const end = endOf(this.state);
    if (end?.reason === 'codecNotPossible') return sourceStates.unsupported;
    if (this.isConnected) return sourceStates.running;
    return end ? sourceStates.failed : sourceStates.initializing;
  }

  /** Called when there is something to send. */
  private wake(): void {
    this.connectedAt = performance.now();
    this.handle({ event: 'retry' });
  }

  /** `reason`: told to the attempt if the event closes it. */
  private handle(event: ConnectionEvent, reason = ''): void {
    const before = this.state;
    const state = nextState(before, event);
    if (state === before) return;
    this.state = state;
    clearTimeout(this.timer);
    this.retryAt = 0;
    if (state.is === 'connected') this.connectedAt = performance.now();
    else this.dropAttempt(state.is === 'waiting' ? undefined : reason);
    if (state.is === 'waiting') this.scheduleRetry(state.end, before.is === 'connected');
    else if (state.is === 'connecting') this.attempts++;
    this.announce(before, state);
    // A listener of the change may have switched it off.
    if (this.state === state && state.is === 'connecting') this.begin(this.attempts);
  }

  private begin(number: number): void {
    const ready = this.options.ready?.();
    if (!ready) this.open(number);
    else void ready.then(() => number === this.attempts && this.isDesired && this.open(number));
  }

  private open(number: number): void {
    let attempt: Attempt | undefined;
    let end: Termination | undefined;
    let isOpening = true;
    const isCurrent = () => number === this.attempts && this.isDesired;
    const ended = (cause: Termination) => {
      if (!isCurrent() || end) return;
      end = cause;
      if (!isOpening) this.handle({ event: 'ended', end });
    };
    try {
      attempt = this.options.open({
        connected: () => {
          if (isCurrent() && !end) this.handle({ event: 'connected' });
        },
        ended,
      });
    } catch (error) {
      ended(unopened(error));
    }
    isOpening = false;
    if (!isCurrent()) {
      attempt?.close(this.offReason);
      return;
    }
    this.attempt = attempt;
    if (end) this.handle({ event: 'ended', end });
  }

  private scheduleRetry(end: Termination, wasConnected: boolean): void {
    const now = performance.now();
    if (wasConnected) this.backoff.ended(now - this.connectedAt);
    const delay = this.backoff.next(end.permanent);
    this.retryAt = now + delay;
    this.timer = setTimeout(() => this.handle({ event: 'retry' }), delay);
  }

  /** `reason`: closes the attempt; undefined if it has ended by itself. */
  private dropAttempt(reason: string | undefined): void {
    const { attempt } = this;
    if (!attempt) return;
    this.earlierBytes += attempt.bytes;
    this.earlierSkipped += attempt.skipped;
    this.attempt = undefined;
    if (reason !== undefined) attempt.close(reason);
  }

  private announce(before: ConnectionState, state: ConnectionState): void {
    const isSame = connOf(before) === connOf(state) && endOf(before)?.reason === endOf(state)?.reason;
    if (isSame) return;
    const { log, name, onChange } = this.options;
    if (state.is === 'waiting') {
      const { text, reason } = state.end;
      log.warn(`${name}: ${text}`, { reason, retryInMs: Math.round(this.retryAt - performance.now()) });
    } else if (state.is === 'connected') log.info(`${name}: connected`);
    onChange();
  }
}
