/**
 * Delays sign-in attempts by the failures of their address and of their name. External addresses and the local network
 * are counted separately, so that external attacks do not delay local users. On the local network, an address with few
 * failures at a name bypasses the queue of that name, until a total number of such attempts has failed. A user who
 * signed in recently from an address waits there only for failed attempts at the same name.
 */

import { isLocalAddress, networkOf } from '../../lib/local-network.ts';
import { createSemaphore } from '../../lib/semaphore.ts';
import { timing } from '../../timing.ts';
import { createFreeTries } from './free-tries.ts';
import { createKnownPlaces } from './known-places.ts';
import { createThrottle } from './throttle.ts';

/** A user name and the address of the sign-in. */
export interface Place {
  readonly name: string;
  readonly ip: string;
}

interface GuardOptions {
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Whether a user of this name exists: the failures of those are kept longest. */
  readonly isUser: (name: string) => boolean;
  /** Where users are already signed in. */
  readonly signedIn: Iterable<Place>;
}

const times = timing.auth;
const common = { firstDelayMs: times.firstDelayMs, forgetAfterMs: times.forgetMs, maxKeys: 4096, longestQueue: 128 };
/** Allows a hundred concurrent users with the correct password, but few without it. */
const ofAddress = {
  ...common,
  freeFailures: 5,
  longestDelayMs: times.addressDelayMs,
  longestWaitMs: times.addressWaitMs,
};
/** The delay per name is shorter: guessing must not lock out the owner. */
const ofName = { ...common, freeFailures: 5, longestDelayMs: times.nameDelayMs, longestWaitMs: times.nameWaitMs };
/** A name at an address: only counted, without delay. */
const ofPair = { ...common, freeFailures: 5, longestDelayMs: times.firstDelayMs, longestWaitMs: times.firstDelayMs };
/** Limit of failed attempts at a name that bypassed its queue, over all local addresses. */
const ofHouse = { max: 64, forgetAfterMs: times.forgetMs, maxKeys: common.maxKeys };
const ofUser = { forgetAfterMs: times.knownMs, maxPerName: 16 };
/** Limits guesses from external addresses to one core. */
const outsiders = { atOnce: 1, longestLine: 64 };

export function createLoginLimiter({ isUser, signedIn, ...options }: GuardOptions) {
  const never = { ...options, isPrecious: () => false };
  const users = { ...options, isPrecious: isUser };
  const side = () => ({
    addresses: createThrottle({ ...ofAddress, ...never }),
    names: createThrottle({ ...ofName, ...users }),
  });
  const inside = {
    ...side(),
    pairs: createThrottle({ ...ofPair, ...never }),
    free: createFreeTries({ ...ofHouse, ...users }),
  };
  const outside = side();
  const letIn = createSemaphore(outsiders);
  const known = createKnownPlaces({ ...ofUser, now: options.now });
  const knownPairs = createThrottle({ ...ofName, ...never });
  for (const { name, ip } of signedIn) known.add(name, networkOf(ip));

  function atOutside<T>(at: Place, attempt: () => Promise<T>, isFailure: (outcome: T) => boolean): Promise<T> {
    const { addresses, names } = outside;
    return addresses.run(networkOf(at.ip), () => names.run(at.name, () => letIn(attempt), isFailure), isFailure);
  }

  function atHouse<T>({ ip, name }: Place, attempt: () => Promise<T>, isFailure: (outcome: T) => boolean): Promise<T> {
    const { addresses, names, pairs, free } = inside;
    const pair = `${name} ${networkOf(ip)}`;
    const pastOthers = async () => {
      let isWrong = false;
      try {
        const outcome = await attempt();
        isWrong = isFailure(outcome);
        return outcome;
      } finally {
        if (isWrong) names.count(name, true);
        else free.giveBack(name);
      }
    };
    const atName = async () => {
      const goesPast = pairs.isFree(pair) && free.take(name);
      const outcome = goesPast ? await pastOthers() : await names.run(name, attempt, isFailure);
      pairs.count(pair, isFailure(outcome));
      return outcome;
    };
    return addresses.run(networkOf(ip), atName, isFailure);
  }

  return {
    /** Runs one attempt at a name from an address, delayed by earlier failures; `isFailure` tells whether it counts. */
    async run<T>(at: Place, attempt: () => Promise<T>, isFailure: (outcome: T) => boolean): Promise<T> {
      const network = networkOf(at.ip);
      const lane = isLocalAddress(at.ip) ? atHouse : atOutside;
      const outcome = known.has(at.name, network)
        ? await knownPairs.run(`${at.name} ${network}`, attempt, isFailure)
        : await lane(at, attempt, isFailure);
      if (!isFailure(outcome)) known.add(at.name, network);
      return outcome;
    },
  };
}
