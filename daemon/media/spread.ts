/**
 * Connections to one host that would begin at the same moment, after a power cut or when an input begins to flow, begin
 * spread over a second: an encoder that serves twenty channels isn't asked by all of them at once.
 */
import { type Attempt, type AttemptEvents, unopened } from './leg.ts';

/** So many begin at once; a few don't hurt anybody. */
const atOnce = 3;
const spreadMs = 1000;

export interface Spread {
  /** Milliseconds that the next connection to this host should wait. */
  delayFor(host: string): number;
}

export function createSpread({
  now = () => performance.now(),
  random = Math.random,
}: {
  readonly now?: () => number;
  readonly random?: () => number;
}): Spread {
  const recent = new Map<string, { since: number; count: number }>();
  return {
    delayFor(host) {
      const at = now();
      for (const [other, { since }] of recent) if (at - since > spreadMs) recent.delete(other);
      const entry = recent.get(host) ?? { since: at, count: 0 };
      recent.set(host, entry);
      entry.count++;
      return entry.count > atOnce ? random() * spreadMs : 0;
    },
  };
}

/** With every member, also one that is new: what is left out would be lost on the way. */
type Whole = { readonly [Name in keyof Required<Attempt>]: Attempt[Name] };

/** An attempt that begins when `ready` resolves; until then it can be closed like any other. */
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
