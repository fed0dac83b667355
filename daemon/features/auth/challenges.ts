import { randomBytes } from 'node:crypto';
import type { Challenge } from '../../contract/auth.ts';
import { networkOf } from '../../lib/local-network.ts';
import type { SignInKey } from '../../lib/sign-in-key.ts';
import { timing } from '../../timing.ts';

/** The caller that a challenge is issued to. */
export interface Challenged {
  readonly name: string;
  readonly ip: string;
  /** Hash of the session token; '' before sign-in. */
  readonly session: string;
}

interface Waiting extends Challenged {
  /** Network of the address, stored so that it is not recomputed for each entry. */
  readonly network: string;
  readonly challenge: Challenge;
  readonly expiresAt: number;
}

const nonceBytes = 16;
const maxWaiting = 1024;
/** Enough for many users behind one address, and too few to displace those of other networks. */
const maxOfNetwork = 64;

/** Challenges that have not been answered yet, in memory only. */
export function createChallenges(now: () => number) {
  const waiting = new Map<string, Waiting>();
  const dropOldest = (network: string | undefined) => {
    for (const [nonce, one] of waiting) {
      if (network !== undefined && one.network !== network) continue;
      waiting.delete(nonce);
      return;
    }
  };
  const makeRoom = (network: string) => {
    for (const [nonce, one] of waiting) if (one.expiresAt <= now()) waiting.delete(nonce);
    const own = [...waiting.values()].filter((one) => one.network === network).length;
    if (own >= maxOfNetwork) dropOldest(network);
    else if (waiting.size >= maxWaiting) dropOldest(undefined);
  };
  return {
    give(to: Challenged, { salt, iterations }: Pick<SignInKey, 'salt' | 'iterations'>): Challenge {
      const network = networkOf(to.ip);
      makeRoom(network);
      const challenge = { nonce: randomBytes(nonceBytes).toString('hex'), salt, iterations };
      waiting.set(challenge.nonce, { ...to, network, challenge, expiresAt: now() + timing.auth.challengeMs });
      return challenge;
    },
    /** Works once. Returns undefined if the challenge is unknown, expired or was issued to another caller. */
    take(nonce: string, by: Challenged): Challenge | undefined {
      const found = waiting.get(nonce);
      waiting.delete(nonce);
      if (found === undefined || found.expiresAt <= now()) return undefined;
      const isTheirs = found.name === by.name && found.ip === by.ip && found.session === by.session;
      return isTheirs ? found.challenge : undefined;
    },
  };
}
