/**
 * Folds repeated log lines: the first few of a kind are logged, and the rest of the same minute become one line with a
 * count. A peer that triggers the same line many times cannot push all other lines out of the log.
 */
import { hostOf, networkOf } from './local-network.ts';
import { type Log, type LogFields, withFields } from './log.ts';

type FoldedLevel = 'info' | 'warn' | 'error';

interface RepeatOptions {
  readonly windowMs: number;
  readonly now: () => number;
}

export interface FoldedLog {
  readonly log: Log;
  /** Logs the counts of the lines suppressed so far. */
  flush(): void;
}

interface Kind {
  readonly beganAt: number;
  passed: number;
  held: number;
  /** Logs how many more lines there were. */
  readonly tell: (held: number) => void;
}

/** Lines that are logged for each message and peer, and for each message from all peers. */
export const passedPerPeer = 5;
export const passedOfMessage = 300;
/** Maximum number of kinds in memory; the oldest ends early for a new one. */
const maxKinds = 1024;

/** Debug lines are not folded: the debug level is meant to show all of them. */
export function foldRepeats(log: Log, { windowMs, now }: RepeatOptions): FoldedLog {
  const ofPeer = new Map<string, Kind>();
  const ofMessage = new Map<string, Kind>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isOver = ({ beganAt }: Kind) => now() - beganAt >= windowMs;

  /** Ends the oldest kinds, up to the first one that does not match. */
  function end(kinds: Map<string, Kind>, isMeant: (kind: Kind) => boolean): void {
    for (const [key, kind] of kinds) {
      if (!isMeant(kind)) break;
      kinds.delete(key);
      if (kind.held > 0) kind.tell(kind.held);
    }
  }

  function watch(): void {
    if (timer !== undefined || ofPeer.size + ofMessage.size === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      for (const kinds of [ofPeer, ofMessage]) end(kinds, isOver);
      watch();
    }, windowMs);
    timer.unref();
  }

  /** Whether this line is one of the first of its kind. */
  function passes(kinds: Map<string, Kind>, key: string, max: number, tell: Kind['tell']): boolean {
    end(kinds, isOver);
    let kind = kinds.get(key);
    if (!kind) {
      end(kinds, () => kinds.size >= maxKinds);
      kind = { beganAt: now(), passed: 0, held: 0, tell };
      kinds.set(key, kind);
      watch();
    }
    if (kind.passed < max) kind.passed++;
    else kind.held++;
    return kind.held === 0;
  }

  const wrap = (inner: Log, scope: string): Log => {
    const folded = (level: FoldedLevel) => (message: string, fields?: LogFields) => {
      const host = fields?.peer === undefined ? undefined : hostOf(String(fields.peer));
      const more = (held: number) => `${message}: and ${held.toLocaleString('en')} more in ${windowMs / 1000} s`;
      const kind = `${level} ${scope} ${message}`;
      const cause = host === undefined ? withFields('', fields) : networkOf(host);
      const again = (held: number) => inner[level](more(held), host === undefined ? fields : { peer: host });
      if (!passes(ofPeer, `${kind} ${cause}`, passedPerPeer, again)) return;
      const elsewhere = (held: number) => inner[level](`${more(held)}, from many addresses`);
      if (host !== undefined && !passes(ofMessage, kind, passedOfMessage, elsewhere)) return;
      inner[level](message, fields);
    };
    return {
      debug: inner.debug,
      info: folded('info'),
      warn: folded('warn'),
      error: folded('error'),
      in: (name) => wrap(inner.in(name), `${scope}/${name}`),
    };
  };

  return {
    log: wrap(log, ''),
    flush() {
      for (const kinds of [ofPeer, ofMessage]) end(kinds, () => true);
    },
  };
}
