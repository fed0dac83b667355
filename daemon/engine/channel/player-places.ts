/** Limits on players: no single address takes all places, and none is granted while few file descriptors are left. */
import { limits } from '../../contract/limits.ts';
import { hostOf } from '../../lib/local-network.ts';
import type { Callers } from '../net/callers.ts';
import type { Descriptors } from '../net/descriptors.ts';

export type PlayerPlaces = ReturnType<typeof createPlayerPlaces>;
type Place = { leave(): void } | { readonly refused: string };

interface PlacesOptions {
  readonly boundKey: Callers['boundKey'];
  readonly descriptors: Pick<Descriptors, 'refusesPlayer'>;
}

export function createPlayerPlaces({ boundKey, descriptors }: PlacesOptions) {
  const inHub = new Map<string, number>();
  const keyOf = (peer: string) => boundKey(hostOf(peer));
  const placeUnlessFew = (leave: () => void): Place => {
    const refused = descriptors.refusesPlayer();
    return refused === undefined ? { leave } : { refused };
  };
  return {
    /** `of`: players that the channel already has. Takes a place, or returns the limit that was reached. */
    enter(peer: string, of: Iterable<string>): Place {
      const peers = [...of];
      if (peers.length >= limits.clientsPerChannel) {
        return { refused: `the channel has ${limits.clientsPerChannel} players` };
      }
      const key = keyOf(peer);
      if (key === undefined) return placeUnlessFew(() => undefined);
      if (peers.filter((other) => keyOf(other) === key).length >= limits.clientsPerAddress) {
        return { refused: `the channel has ${limits.clientsPerAddress} players at this address` };
      }
      const count = inHub.get(key) ?? 0;
      if (count >= limits.clientsOfHubPerAddress) {
        return { refused: `the hub has ${limits.clientsOfHubPerAddress} players at this address` };
      }
      const place = placeUnlessFew(() => {
        const left = (inHub.get(key) ?? 1) - 1;
        if (left > 0) inHub.set(key, left);
        else inHub.delete(key);
      });
      if (!('refused' in place)) inHub.set(key, count + 1);
      return place;
    },
  };
}
