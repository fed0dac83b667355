/**
 * Spreads connections to one host that are due at the same moment, after a power cut or when an input starts to flow,
 * over one second, so that an encoder that serves twenty channels does not get all connections at once.
 */
import { type Attempt, type AttemptEvents, unopened } from './connection/connection.ts';

/** Number of connections without delay; a few are harmless. */
const atOnce = 3;
const staggerMs = 1000;

export interface ConnectStagger {
  /** Returns the milliseconds that the next connection to this host should wait. */
  delayFor(host: string): number;
}

export function createConnectStagger({
  now = () => performance.now(),
  random = Math.random,
}: {
  readonly now?: () => number;
  readonly random?: () => number;
}): ConnectStagger {
  const recent = new Map<string, { since: number; count: number }>();
  return {
    delayFor(host) {
      const at = now();
      for (const [other, { since }] of recent) if (at - since > staggerMs) recent.delete(other);
      const entry = recent.get(host) ?? { since: at, count: 0 };
      recent.set(host, entry);
      entry.count++;
      return entry.count > atOnce ? random() * staggerMs : 0;
    },
  };
}

/** Requires every member, including future ones, because an omitted member would not be passed on. */
type Whole = { readonly [Name in keyof Required<Attempt>]: Attempt[Name] };

/** Returns an attempt that starts when `ready` resolves. Until then it can be closed like any other. */
export function deferredAttempt(ready: Promise<unknown>, open: () => Attempt, onEnd: AttemptEvents['ended']): Whole {
  let attempt: Attempt | undefined;
  let isClosed = false;
  void ready.then(() => {
    if (isClosed) return;
    try {
      attempt = open();
    } catch (error) {
      onEnd(unopened(error));
    }
  });
  return {
    get bytes() {
      return attempt?.bytes ?? 0;
    },
    get skipped() {
      return attempt?.skipped ?? 0;
    },
    get srt() {
      return attempt?.srt;
    },
    get queueMs() {
      return attempt?.queueMs;
    },
    get clients() {
      return attempt?.clients;
    },
    get refused() {
      return attempt?.refused;
    },
    get lacks() {
      return attempt?.lacks;
    },
    close(reason) {
      isClosed = true;
      attempt?.close(reason);
    },
  };
}
