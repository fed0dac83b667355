/**
 * What a guess of a password waits for: the failures of its address and those of its name. Strangers outside and the
 * local network are counted apart, so that nobody outside keeps the people of the house waiting. In the house, who has
 * hardly failed at a name from an address goes past those who have: there are not so many addresses that a few tries
 * from each would lead anywhere, and the owner of the name is never kept out.
 */

import { isLocalAddress, networkOf } from '../../lib/local-network.ts';
import { createTurnstile } from '../../lib/turnstile.ts';
import { timing } from '../../timing.ts';
import { createThrottle } from './throttle.ts';

export interface GuessGuard {
  /** Runs one attempt at a name from an address, later with every failure; `isFailure` says whether it counts. */
  run<T>(
    at: { readonly ip: string; readonly name: string },
    attempt: () => Promise<T>,
    isFailure: (outcome: T) => boolean,
  ): Promise<T>;
}

interface GuardOptions {
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

const times = timing.auth;
const common = { firstDelayMs: times.firstDelayMs, forgetAfterMs: times.forgetMs, mostKeys: 4096, longestQueue: 128 };
/** Room for a hundred at once who know their password, and for few who don't. */
const ofAddress = {
  ...common,
  freeFailures: 5,
  longestDelayMs: times.addressDelayMs,
  longestWaitMs: times.addressWaitMs,
};
/** A name waits less: somebody who guesses must not keep its owner out. */
const ofName = { ...common, freeFailures: 5, longestDelayMs: times.nameDelayMs, longestWaitMs: times.nameWaitMs };
/** Of a name at an address: nobody waits here, it is only counted. */
const ofPair = { ...common, freeFailures: 5, longestDelayMs: times.firstDelayMs, longestWaitMs: times.firstDelayMs };
/** Strangers get one core for their guesses. */
const outsiders = { atOnce: 1, longestLine: 64 };

export function createGuessGuard(options: GuardOptions): GuessGuard {
  const side = () => ({
    addresses: createThrottle({ ...ofAddress, ...options }),
    names: createThrottle({ ...ofName, ...options }),
  });
  const inside = { ...side(), pairs: createThrottle({ ...ofPair, ...options }) };
  const outside = side();
  const letIn = createTurnstile(outsiders);

  return {
    run({ ip, name }, attempt, isFailure) {
      const network = networkOf(ip);
      if (!isLocalAddress(ip)) {
        const { addresses, names } = outside;
        return addresses.run(network, () => names.run(name, () => letIn(attempt), isFailure), isFailure);
      }
      const { addresses, names, pairs } = inside;
      const pair = `${name} ${network}`;
      const pastOthers = async () => {
        const outcome = await attempt();
        if (isFailure(outcome)) names.count(name, true);
        return outcome;
      };
      const atName = async () => {
        const outcome = pairs.isFree(pair) ? await pastOthers() : await names.run(name, attempt, isFailure);
        pairs.count(pair, isFailure(outcome));
        return outcome;
      };
      return addresses.run(network, atName, isFailure);
    },
  };
}
