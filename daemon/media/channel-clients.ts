/** Players that came by themselves. Each has its own socket and cursor; this only knows and counts them. */
import { connectionStates, sourceStates } from '../contract/streams.ts';
import type { ClientStatus, SrtReport } from './protocol.ts';
import { createRateMeter, type RateMeter } from './rate.ts';

export interface Client {
  readonly protocol: ClientStatus['protocol'];
  readonly peer: string;
  /** It came to this output, which counts its bytes and closes it. */
  readonly outputId?: number;
  bytes(): number;
  skipped(): number;
  queueMs(): number;
  srt(): SrtReport | undefined;
  close(reason: string): void;
}

export interface ChannelClients {
  /** Undefined when the channel is full. The answer says that the client left. */
  add(client: Client): { readonly id: number; remove(): void } | undefined;
  tick(nowMs: number): void;
  status(): ClientStatus[];
  disconnect(clientId: number, reason: string): boolean;
  readonly size: number;
  readonly bytes: number;
  /** Ends all that `which` picks. */
  closeWhere(which: (client: Client) => boolean, reason: string): void;
}

let lastClientId = 0;

export function createChannelClients(limit: number): ChannelClients {
  const entries = new Map<number, { client: Client; meter: RateMeter }>();
  let goneBytes = 0;
  return {
    add(client) {
      if (entries.size >= limit) return undefined;
      const id = ++lastClientId;
      entries.set(id, { client, meter: createRateMeter() });
      return {
        id,
        remove() {
          if (entries.delete(id)) goneBytes += ownBytes(client);
        },
      };
    },
    tick(nowMs) {
      for (const { client, meter } of entries.values()) meter.tick(client.bytes(), nowMs);
    },
    status: () => [...entries].map(([id, { client, meter }]) => statusOf(id, client, meter)),
    disconnect(clientId, reason) {
      const entry = entries.get(clientId);
      entry?.client.close(reason);
      return entry !== undefined;
    },
    get size() {
      return entries.size;
    },
    get bytes() {
      let sum = goneBytes;
      for (const { client } of entries.values()) sum += ownBytes(client);
      return sum;
    },
    closeWhere(which, reason) {
      for (const { client } of [...entries.values()]) if (which(client)) client.close(reason);
    },
  };
}

/** What no output counts. */
function ownBytes(client: Client): number {
  return client.outputId === undefined ? client.bytes() : 0;
}

function statusOf(id: number, client: Client, meter: RateMeter): ClientStatus {
  const srt = client.srt();
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
  };
}
