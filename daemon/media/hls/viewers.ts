/** Who watches a channel by HLS. A viewer has no connection of its own: it is an address and a program that keep asking. */
import { timing } from '../../timing.ts';
import type { Channel } from '../channel.ts';
import type { Refused } from '../channel-clients.ts';

export interface Viewer {
  /** Bytes that were handed out to it. */
  count(bytes: number): void;
}

export interface ViewerName {
  /** The play key belongs to it: with another key it is another viewer. Without one it looks from the console. */
  readonly key: string | undefined;
  readonly address: string;
  readonly userAgent: string;
}

export interface Viewers {
  /** Somebody asked for something: known, new, or why not. */
  ask(name: ViewerName): Viewer | Refused | 'ended';
  /** Lets those go that asked for nothing in the last `quietMs`. */
  tick(quietMs: number): void;
  readonly count: number;
}

interface Entry extends Viewer {
  askedAt: number;
  /** When it was disconnected; it would be back with its next request. */
  endedAt: number | undefined;
  leave(): void;
}

const keptUserAgent = 200;
/** Of one channel, beside its players. */
const mostPreviews = 64;

export function createViewers(channel: Pick<Channel, 'addClient' | 'refusesPlay'>, now: () => number): Viewers {
  const entries = new Map<string, Entry>();
  let previews = 0;

  /** Who looks from the console is no player: it counts nowhere, and isn't for an operator to disconnect. */
  function addPreview(id: string): Entry | Refused {
    if (previews >= mostPreviews) return { refused: `the channel has ${mostPreviews} previews` };
    previews++;
    const entry = { askedAt: now(), endedAt: undefined, leave: () => void previews--, count: () => undefined };
    entries.set(id, entry);
    return entry;
  }

  function add(id: string, address: string): Entry | Refused {
    let bytes = 0;
    const client = channel.addClient({
      protocol: 'hls',
      peer: address,
      bytes: () => bytes,
      skipped: () => 0,
      queueMs: () => 0,
      srt: () => undefined,
      close() {
        entry.leave();
        // Of a channel that was switched off everybody may come back once it is on again.
        if (channel.refusesPlay('hls')) entries.delete(id);
        else entry.endedAt = now();
      },
    });
    if ('refused' in client) return client;
    const entry: Entry = {
      askedAt: now(),
      endedAt: undefined,
      leave: client.remove,
      count(more) {
        bytes += more;
      },
    };
    entries.set(id, entry);
    return entry;
  }

  return {
    ask({ key, address, userAgent }) {
      const id = [key, address, userAgent.slice(0, keptUserAgent)].join('\n');
      const entry = entries.get(id) ?? (key === undefined ? addPreview(id) : add(id, address));
      if ('refused' in entry) return entry;
      if (entry.endedAt !== undefined) return 'ended';
      entry.askedAt = now();
      return entry;
    },
    tick(quietMs) {
      for (const [id, { askedAt, endedAt, leave }] of entries) {
        const isOver = endedAt === undefined ? now() - askedAt > quietMs : now() - endedAt > timing.hls.refusedMs;
        if (!isOver) continue;
        entries.delete(id);
        if (endedAt === undefined) leave();
      }
    },
    get count() {
      let count = 0;
      for (const { endedAt } of entries.values()) if (endedAt === undefined) count++;
      return count;
    },
  };
}
