/** Dedicated listeners, which the endpoint opens for us: SRT inputs and outputs as attempts of a connection. */

import type { RefusedCaller, SrtReport } from '../../media/protocol/reported.ts';
import type { SrtStream } from '../../sources/stream-address.ts';
import type { Attempt, AttemptEvents, Termination } from '../connection/connection.ts';
import { portNotOpened } from '../connection/listen-failure.ts';
import { endpointMissing } from '../connection/terminations.ts';
import type { Connection } from './connection.ts';
import { type ConnectionStatistics, type EndpointOperation, type ListenerEvent, streamOptions } from './protocol.ts';
import { droppedOf, expectedOf } from './report.ts';

interface ListenerOptions {
  readonly channelId: number;
  /** The output that listens; absent for an input. */
  readonly outputId?: number;
  readonly address: SrtStream;
  readonly events: AttemptEvents;
}

interface Adapter {
  readonly options: ListenerOptions;
  readonly inside: Map<number, Connection>;
  /** Totals of connections that have left. */
  readonly gone: Totals;
  /** The last refusal since a caller was last admitted. */
  refused: RefusedCaller | undefined;
}

type Totals = ReturnType<typeof noTotals>;

/** `forget`: called for connections that end with their dedicated listener; what they still deliver is ignored. */
export function createSrtListeners(send: (operation: EndpointOperation) => boolean, forget: (conn: number) => void) {
  const open = new Map<number, Adapter>();
  let lastId = 0;

  function remove(id: number, reason: string): Adapter | undefined {
    const listener = open.get(id);
    if (!listener) return undefined;
    open.delete(id);
    for (const [conn, connection] of listener.inside) {
      forget(conn);
      connection.closed(reason);
    }
    return listener;
  }

  function finish(id: number, end: Termination): void {
    remove(id, 'endpoint gone')?.options.events.ended(end);
  }

  return {
    open(options: ListenerOptions): Attempt {
      const id = ++lastId;
      const listener: Adapter = { options, inside: new Map(), gone: noTotals(), refused: undefined };
      open.set(id, listener);
      const wasSent = send(openListener(id, options));
      if (!wasSent) finish(id, endpointMissing('SRT'));
      return {
        get bytes() {
          return totalsOf(listener).bytes;
        },
        get skipped() {
          return totalsOf(listener).skips;
        },
        get clients() {
          return listener.inside.size;
        },
        get refused() {
          return listener.refused;
        },
        get srt() {
          return reportOf(listener);
        },
        close() {
          if (remove(id, 'listener closed')) send({ op: 'close-listener', id });
        },
      };
    },
    event(event: ListenerEvent): void {
      const listener = open.get(event.id);
      if (!listener) return;
      if (event.state === 'listening') listener.options.events.connected();
      else {
        const { reason = 'internal', error = '' } = event;
        const { host, port } = listener.options.address;
        finish(event.id, portNotOpened(`SRT can't listen on ${host}:${port}`, port, { reason, error }));
      }
    },
    /** Returns the output or input that this dedicated listener belongs to; undefined if it was closed meanwhile. */
    find: (listenerId: number) => open.get(listenerId)?.options,
    entered(listenerId: number, conn: number, connection: Connection): void {
      const listener = open.get(listenerId);
      if (!listener) return;
      listener.inside.set(conn, connection);
      listener.refused = undefined;
    },
    /** A caller was refused because of its passphrase. */
    refused(listenerId: number, peer: string): void {
      const listener = open.get(listenerId);
      if (listener) listener.refused = { peer, at: Date.now() };
    },
    left(conn: number): void {
      for (const listener of open.values()) {
        const connection = listener.inside.get(conn);
        if (!connection) continue;
        add(listener.gone, connection.figures);
        listener.inside.delete(conn);
      }
    },
    /** The endpoint is gone. */
    endAll(): void {
      for (const id of [...open.keys()]) finish(id, endpointMissing('SRT'));
    },
  };
}

function openListener(id: number, { channelId, outputId, address }: ListenerOptions): EndpointOperation {
  return {
    op: 'open-listener',
    id,
    feed: channelId,
    direction: outputId === undefined ? 'receive' : 'send',
    bind: address.host,
    port: address.port,
    ...streamOptions(address),
    max: address.maxConnections,
  };
}

const noTotals = () => ({ bytes: 0, skips: 0, packets: 0, lost: 0, retransmitted: 0, dropped: 0 });

function add(totals: Totals, figures: ConnectionStatistics | undefined): void {
  if (!figures) return;
  totals.bytes += figures.bytes;
  totals.skips += figures.skips ?? 0;
  totals.packets += expectedOf(figures);
  totals.lost += figures.loss;
  totals.retransmitted += figures.retrans;
  totals.dropped += droppedOf(figures);
}

function totalsOf(listener: Adapter): Totals {
  const totals = { ...listener.gone };
  for (const { figures } of listener.inside.values()) add(totals, figures);
  return totals;
}

/** Sum of the packets of all connections; the worst round-trip time and buffer of any connection. */
function reportOf(listener: Adapter): SrtReport | undefined {
  const present = [...listener.inside.values()].flatMap(({ figures }) => figures ?? []);
  if (present.length === 0) return undefined;
  const { packets, lost, retransmitted, dropped } = totalsOf(listener);
  const rttMs = Math.max(...present.map(({ rtt }) => rtt));
  const bufferMs = Math.max(...present.map(({ buffer_ms }) => buffer_ms));
  return { rttMs, packets, lost, retransmitted, dropped, bufferMs };
}
