/** Slows down addresses that try many wrong stream keys, across all protocols. */
import { networkOf } from '../../lib/local-network.ts';
import type { Log } from '../../lib/log.ts';
import { timing } from '../../timing.ts';

export type KeyGuard = ReturnType<typeof createKeyGuard>;

interface KeyGuardOptions {
  readonly log: Log;
  readonly now: () => number;
}

interface Guesser {
  wrong: number;
  wrongAt: number;
  /** When the next attempt may be checked. */
  nextAt: number;
}

const { guessWindowMs, guessEveryMs, guessWaitMs } = timing.streamKeys;
/** Wrong keys of one address within the window that have no consequences. */
export const freeGuesses = 20;
const maxAddresses = 4096;
const maxKnownPerAddress = 512;

export function createKeyGuard({ log, now }: KeyGuardOptions) {
  const guessers = new Map<string, Guesser>();
  /** What each address has opened, the newest last. */
  const known = new Map<string, Set<string>>();

  const find = (address: string): Guesser => {
    const fresh = { wrong: 0, wrongAt: now(), nextAt: 0 };
    const guesser = use(guessers, address, fresh);
    if (now() - guesser.wrongAt > guessWindowMs) guesser.wrong = 0;
    return guesser;
  };
  const note = (guesser: Guesser, count: number, peer: string, protocol: string) => {
    guesser.wrong += count;
    guesser.wrongAt = now();
    if (guesser.wrong > freeGuesses) log.warn('many wrong stream keys', { peer, protocol, wrong: guesser.wrong });
  };

  return {
    /**
     * Registers an attempt from this address with a key that opens `opened`, or nothing. Returns the milliseconds to
     * wait before the reply, or undefined if the attempt is refused regardless of its key. A key that was right at this
     * address before never waits.
     */
    attempt(peer: string, opened: string | undefined, protocol: string): number | undefined {
      const address = networkOf(peer);
      if (opened !== undefined && known.get(address)?.has(opened)) return 0;
      const guesser = find(address);
      const waitMs = guesser.wrong < freeGuesses ? 0 : Math.max(guessEveryMs, guesser.nextAt - now());
      if (waitMs > guessWaitMs) {
        log.warn('many wrong stream keys', { peer, protocol, wrong: guesser.wrong });
        return undefined;
      }
      if (waitMs > 0) guesser.nextAt = now() + waitMs + guessEveryMs;
      if (opened === undefined) note(guesser, 1, peer, protocol);
      else remember(use(known, address, new Set<string>()), opened);
      return waitMs;
    },
    /** Counts wrong keys that were refused elsewhere. */
    countWrong: (peer: string, count: number, protocol: string) => note(find(networkOf(peer)), count, peer, protocol),
  };
}

/** Returns what a stream key opens, if anything. */
export function openedBy(found: { readonly channel: { readonly id: number }; readonly kind: string } | undefined) {
  return found && `${found.channel.id} ${found.kind}`;
}

/** Returns the entry of this address and makes it the newest. A new entry evicts the oldest when the table is full. */
function use<V>(table: Map<string, V>, address: string, fresh: V): V {
  const entry = table.get(address) ?? fresh;
  table.delete(address);
  table.set(address, entry);
  const [oldest] = table.keys();
  if (table.size > maxAddresses && oldest !== undefined) table.delete(oldest);
  return entry;
}

function remember(opened: Set<string>, what: string): void {
  opened.add(what);
  const [oldest] = opened;
  if (opened.size > maxKnownPerAddress && oldest !== undefined) opened.delete(oldest);
}
