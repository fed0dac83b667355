/** Listeners on ports of their own, which the endpoint holds for us: SRT inputs and outputs as attempts of a leg. */
import type { SrtEndpointAddress } from '../addresses.ts';
import type { Attempt, AttemptEvents, LegEnd } from '../leg.ts';
import { portNotOpened } from '../listen-failure.ts';
import type { RefusedCaller, SrtReport } from '../status.ts';
import { endpointMissing } from './calls.ts';
import type { Connection } from './connection.ts';
import type { DoorEvent, EndpointOperation, LegStatistics } from './protocol.ts';
import { droppedOf, expectedOf } from './report.ts';

export interface DoorOptions {
  readonly channelId: number;
  /** The output that listens; an input without it. */
  readonly outputId?: number;
  readonly address: SrtEndpointAddress;
  readonly events: AttemptEvents;
}

export interface SrtDoors {
  open(options: DoorOptions): Attempt;
  event(event: DoorEvent): void;
  /** Which output or input this door belongs to; undefined when it was closed meanwhile. */
  find(doorId: number): DoorOptions | undefined;
  entered(doorId: number, conn: number, connection: Connection): void;
  left(conn: number): void;
  /** Somebody was turned away for the passphrase. */
  refused(doorId: number, peer: string): void;
  /** The endpoint is gone. */
  endAll(): void;
}

interface Door {
  readonly options: DoorOptions;
  readonly inside: Map<number, Connection>;
  /** Figures of those who left. */
  readonly gone: Totals;
  /** Since the last one was let in. */
  refused: RefusedCaller | undefined;
}

interface Totals {
  bytes: number;
  skips: number;
  packets: number;
  lost: number;
  retransmitted: number;
  dropped: number;
}

/** `forget`: a connection ended with its door; what still comes of it goes nowhere. */
export function createSrtDoors(
  send: (operation: EndpointOperation) => boolean,
  forget: (conn: number) => void,
): SrtDoors {
  const open = new Map<number, Door>();
  let lastId = 0;

  function remove(id: number, reason: string): Door | undefined {
    const door = open.get(id);
    if (!door) return undefined;
    open.delete(id);
    for (const [conn, connection] of door.inside) {
      forget(conn);
      connection.closed(reason);
    }
    return door;
  }

  function finish(id: number, end: LegEnd): void {
    remove(id, 'endpoint gone')?.options.events.ended(end);
  }

  return {
    open(options) {
      const id = ++lastId;
      const door: Door = { options, inside: new Map(), gone: noTotals(), refused: undefined };
      open.set(id, door);
      const wasSent = send(openDoor(id, options));
      // Not at once: the caller doesn't have the attempt yet.
      if (!wasSent) queueMicrotask(() => finish(id, endpointMissing));
      return {
        get bytes() {
          return totalsOf(door).bytes;
        },
        get skipped() {
          return totalsOf(door).skips;
        },
        get clients() {
          return door.inside.size;
        },
        get refused() {
          return door.refused;
        },
        get srt() {
          return reportOf(door);
        },
        close() {
          if (remove(id, 'listener closed')) send({ op: 'close-door', id });
        },
      };
    },
    event(event) {
      const door = open.get(event.id);
      if (!door) return;
      if (event.state === 'listening') door.options.events.connected();
      else finish(event.id, notOpened(event, door.options.address));
    },
    find: (doorId) => open.get(doorId)?.options,
    entered(doorId, conn, connection) {
      const door = open.get(doorId);
      if (!door) return;
      door.inside.set(conn, connection);
      door.refused = undefined;
    },
    refused(doorId, peer) {
      const door = open.get(doorId);
      if (door) door.refused = { peer, at: Date.now() };
    },
    left(conn) {
      for (const door of open.values()) {
        const connection = door.inside.get(conn);
        if (!connection) continue;
        add(door.gone, connection.figures);
        door.inside.delete(conn);
      }
    },
    endAll() {
      for (const id of [...open.keys()]) finish(id, endpointMissing);
    },
  };
}

function openDoor(id: number, { channelId, outputId, address }: DoorOptions): EndpointOperation {
  return {
    op: 'open-door',
    id,
    feed: channelId,
    direction: outputId === undefined ? 'receive' : 'send',
    bind: address.host,
    port: address.port,
    latency: address.latencyMs,
    passphrase: address.keyLength > 0 ? address.passphrase : '',
    pbkeylen: address.keyLength,
    oheadbw: address.overheadPercent,
    streamid: address.streamId,
    max: address.maxConnections,
  };
}

function notOpened({ reason = 'internal', error = '' }: DoorEvent, { host, port }: SrtEndpointAddress): LegEnd {
  return portNotOpened(`SRT can't listen on ${host}:${port}`, port, { reason, error });
}

const noTotals = (): Totals => ({ bytes: 0, skips: 0, packets: 0, lost: 0, retransmitted: 0, dropped: 0 });

function add(totals: Totals, figures: LegStatistics | undefined): void {
  if (!figures) return;
  totals.bytes += figures.bytes;
  totals.skips += figures.skips ?? 0;
  totals.packets += expectedOf(figures);
  totals.lost += figures.loss;
  totals.retransmitted += figures.retrans;
  totals.dropped += droppedOf(figures);
}

function totalsOf(door: Door): Totals {
  const totals = { ...door.gone };
  for (const { figures } of door.inside.values()) add(totals, figures);
  return totals;
}

/** Packets of all together, delay and buffer of the one that is worst off. */
function reportOf(door: Door): SrtReport | undefined {
  const present = [...door.inside.values()].flatMap(({ figures }) => figures ?? []);
  if (present.length === 0) return undefined;
  const { packets, lost, retransmitted, dropped } = totalsOf(door);
  const rttMs = Math.max(...present.map(({ rtt }) => rtt));
  const bufferMs = Math.max(...present.map(({ buffer_ms }) => buffer_ms));
  return { rttMs, packets, lost, retransmitted, dropped, bufferMs };
}
