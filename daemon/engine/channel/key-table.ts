/** Maps stream keys to channels and directions. Looked up by digest, so that timing reveals nothing about a key. */
import { createHash } from 'node:crypto';
import type { PlannedChannel } from './input-sharing.ts';

export interface KeyOwner {
  readonly channelId: number;
  readonly kind: 'push' | 'play';
}

const digest = (key: string): string => createHash('sha256').update(key).digest('base64');

export function createKeyTable() {
  let owners = new Map<string, KeyOwner>();
  return {
    replace(channels: Iterable<Pick<PlannedChannel, 'id' | 'pushKey' | 'playKey'>>): void {
      owners = new Map();
      for (const { id, pushKey, playKey } of channels) {
        // A source channel has no key, or only one.
        if (pushKey) owners.set(digest(pushKey), { channelId: id, kind: 'push' });
        if (playKey) owners.set(digest(playKey), { channelId: id, kind: 'play' });
      }
    },
    find: (key: string) => owners.get(digest(key)),
  };
}
