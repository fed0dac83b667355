/** HLS viewers of a channel. A viewer has no connection: it is an address and a program that keep requesting. */
import { timing } from '../../timing.ts';
import type { Channel } from '../channel/channel.ts';
import type { Refused } from '../channel/clients.ts';

export interface Viewer {
  /** Counts bytes sent to the viewer. */
  count(bytes: number): void;
}

export interface ViewerName {
  /** Part of the identity: another play key is another viewer. Undefined for a preview in the console. */
  readonly key: string | undefined;
  readonly address: string;
  readonly userAgent: string;
}

interface Entry extends Viewer {
  askedAt: number;
  /** When it was disconnected. Kept, because otherwise its next request would bring it back. */
  endedAt: number | undefined;
  leave(): void;
}

const keptUserAgent = 200;
/** Per channel, in addition to its players. */
const maxPreviews = 64;

export function createViewers(channel: Pick<Channel, 'addClient' | 'refusesPlay'>, now: () => number) {
  const entries = new Map<string, Entry>();
  let previews = 0;

  /** A preview in the console is not a player: it is not counted, and operators cannot disconnect it. */
  function addPreview(id: string): Entry | Refused {
    if (previews >= maxPreviews) return { refused: `the channel has ${maxPreviews} previews` };
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
        // When a channel was switched off, all viewers may return once it is on again.
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
    /** Registers a request. Returns the viewer, known or new, or why it is refused. */
    ask({ key, address, userAgent }: ViewerName): Viewer | Refused | 'ended' {
      const id = [key, address, userAgent.slice(0, keptUserAgent)].join('\n');
      const entry = entries.get(id) ?? (key === undefined ? addPreview(id) : add(id, address));
      if ('refused' in entry) return entry;
      if (entry.endedAt !== undefined) return 'ended';
      entry.askedAt = now();
      return entry;
    },
    /** Removes viewers that have requested nothing in the last `quietMs`. */
    tick(quietMs: number) {
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
