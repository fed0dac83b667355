/** Players that connected by themselves. They have their own sockets and cursors; here they are only counted. */
import { connectionStates, sourceStates } from '../../contract/streams.ts';
import type { ClientStatus, SrtReport } from '../../media/protocol/reported.ts';
import { createRateMeter, type RateMeter } from '../connection/rate.ts';
import { clientKeeping, createQualityMeter, type QualityMeter } from '../quality/meter.ts';
import { sendingReadings } from '../quality/readings.ts';
import type { PlayerPlaces } from './player-places.ts';

export interface Client {
  readonly protocol: ClientStatus['protocol'];
  readonly peer: string;
  /** The output that the player connected to. That output counts its bytes and closes it. */
  readonly outputId?: number;
  bytes(): number;
  skipped(): number;
  queueMs(): number;
  readonly srt?: () => SrtReport | undefined;
  close(reason: string): void;
}

/** Names the limit that was reached. */
export interface Refused {
  readonly refused: string;
}

export type ChannelClients = ReturnType<typeof createChannelClients>;

let lastClientId = 0;

interface Entry {
  readonly client: Client;
  readonly meter: RateMeter;
  readonly quality: QualityMeter;
}

export function createChannelClients(places: PlayerPlaces) {
  const entries = new Map<number, Entry>();
  let goneBytes = 0;
  return {
    /** Refuses if a limit is reached. Call `remove` of the returned object when the client leaves. */
    add(client: Client): { readonly id: number; remove(): void } | Refused {
      const place = places.enter(
        client.peer,
        entries.values().map((entry) => entry.client.peer),
      );
      if ('refused' in place) return place;
      const id = ++lastClientId;
      entries.set(id, { client, meter: createRateMeter(), quality: createQualityMeter(clientKeeping) });
      return {
        id,
        remove() {
          if (!entries.delete(id)) return;
          goneBytes += ownBytes(client);
          place.leave();
        },
      };
    },
    tick(nowMs: number): void {
      for (const { client, meter, quality } of entries.values()) {
        meter.tick(client.bytes(), nowMs);
        quality.tick(readingsOf(client));
      }
    },
    status: (): ClientStatus[] => [...entries].map(([id, entry]) => statusOf(id, entry)),
    quality: (clientId: number) => entries.get(clientId)?.quality,
    disconnect(clientId: number, reason: string): boolean {
      const entry = entries.get(clientId);
      entry?.client.close(reason);
      return entry !== undefined;
    },
    get size(): number {
      return entries.size;
    },
    get bytes(): number {
      let sum = goneBytes;
      for (const { client } of entries.values()) sum += ownBytes(client);
      return sum;
    },
    /** Closes all clients for which `why` returns a reason. */
    close(why: (client: Client) => string | undefined): void {
      for (const { client } of [...entries.values()]) {
        const reason = why(client);
        if (reason !== undefined) client.close(reason);
      }
    },
  };
}

/** Bytes that no output counts. */
function ownBytes(client: Client): number {
  return client.outputId === undefined ? client.bytes() : 0;
}

/** HLS viewers fetch at times of their own choosing, so there is no connection to measure. */
function readingsOf(client: Client) {
  if (client.protocol === 'hls') return undefined;
  return sendingReadings({ srt: client.srt?.(), skipped: client.skipped(), queueMs: client.queueMs() });
}

function statusOf(id: number, { client, meter, quality: { now } }: Entry): ClientStatus {
  const srt = client.srt?.();
  return {
    id,
    protocol: client.protocol,
    ...(client.outputId !== undefined && { outputId: client.outputId }),
    peer: client.peer,
    conn: meter.isFlowing ? connectionStates.connected : connectionStates.waitingForData,
    state: sourceStates.running,
    ...(!meter.isFlowing && { reason: 'noData' as const }),
    kbps: meter.kbps,
    bytes: client.bytes(),
    since: meter.since,
    skipped: client.skipped(),
    queueMs: Math.round(client.queueMs()),
    ...(srt && { srt }),
    ...(now && { quality: now }),
  };
}
