/** TS over UDP received by the endpoint: from any sender on a port, or from a multicast group. */
import type { Log } from '../../lib/log.ts';
import type { ConnectionReason, DatagramReport } from '../../media/protocol/reported.ts';
import type { UdpStream } from '../../sources/stream-address.ts';
import type { Attempt, AttemptEvents, Termination } from '../connection/connection.ts';
import { portNotOpened } from '../connection/listen-failure.ts';
import { endpointMissing, termination } from '../connection/terminations.ts';
import { packetSize } from '../mpegts/packet.ts';
import type { InputFailed, InputFigures, UdpEvent, UdpOperation } from './protocol.ts';

const datagramBytes = 7 * packetSize;
/** A quarter of a second at 30 Mb/s. */
const enoughBuffer = 1 << 20;
const bufferRemedy = 'raise net.core.rmem_max, as system/sysctl.conf does';

/** How long the endpoint gathers datagrams for us: each batch wakes every subscriber of the bus. */
const batchMs = 5;
/** The same while only we read the bus, looking for tables, picture size and errors. */
const unreadBatchMs = 100;

export interface UdpInput extends Attempt {
  /** The accepted sender as `address:port`, or ''. */
  readonly peer: string;
  readonly datagrams: DatagramReport | undefined;
  /** The endpoint passes received packets directly to the UDP outputs of this channel. */
  link(channelId: number): void;
  unlink(): void;
}

export interface UdpInputEvents extends AttemptEvents {
  /** Whole TS packets, valid only during the call. */
  received(bytes: Uint8Array): void;
  /** Whether the bus that receives these packets has readers. */
  hasReaders(): boolean;
  /** Called once, from either side, when the input ends. */
  over(reason: ConnectionReason): void;
}

export type UdpInputs = ReturnType<typeof createUdpInputs>;

interface Entry {
  readonly source: UdpStream;
  readonly events: UdpInputEvents;
  peer: string;
  bytes: number;
  figures: InputFigures | undefined;
  batchMs: number;
}

export function createUdpInputs(send: (operation: UdpOperation) => boolean, log: Log) {
  const open = new Map<number, Entry>();
  let lastId = 0;
  let hasWarned = false;

  /** Warns once: the limit is the same for all inputs, and the system's administrator must act. */
  function warnOfBuffer(bytes: number): void {
    if (hasWarned || bytes >= enoughBuffer) return;
    hasWarned = true;
    log.warn('the system limits the receive buffers of UDP inputs, which then lose datagrams', {
      ...{ bytes, desired: enoughBuffer, remedy: bufferRemedy },
    });
  }

  function warnOfDrops({ source, figures }: Entry, next: InputFigures): void {
    const more = droppedOf(next) - (figures ? droppedOf(figures) : 0);
    if (more <= 0) return;
    const isSystem = next.overruns > (figures?.overruns ?? 0);
    log.warn('datagrams were not read in time and are lost', {
      ...{ port: source.port, datagrams: more, by: isSystem ? 'the system' : 'the engine' },
      ...(isSystem && { remedy: bufferRemedy }),
    });
  }

  function finish(id: number, end: Termination): void {
    const entry = open.get(id);
    open.delete(id);
    entry?.events.over(end.reason);
    entry?.events.ended(end);
  }

  return {
    get size() {
      return open.size;
    },
    open(source: UdpStream, events: UdpInputEvents): UdpInput {
      const id = ++lastId;
      const entry: Entry = { source, events, peer: '', bytes: 0, figures: undefined, batchMs };
      open.set(id, entry);
      const { host, port } = source;
      const wasSent = send({
        op: 'receive',
        id,
        host,
        port,
        interface: source.interface,
        source: source.source,
        rtp: source.protocol === 'rtp',
      });
      if (!wasSent) finish(id, endpointMissing('UDP'));
      return {
        get bytes() {
          return entry.bytes;
        },
        get peer() {
          return entry.peer;
        },
        get datagrams() {
          return entry.figures && reportOf(entry.figures);
        },
        skipped: 0,
        link: (channelId) => void send({ op: 'link', input: id, feed: channelId }),
        unlink: () => void send({ op: 'unlink', input: id }),
        close() {
          if (!open.delete(id)) return;
          events.over('switchedOff');
          send({ op: 'stop-receive', id });
        },
      };
    },
    event(event: Extract<UdpEvent, { ev: 'input-open' | 'input-failed' | 'sender' | 'no-sync' }>): void {
      const entry = open.get(event.id);
      if (!entry) return;
      if (event.ev === 'sender') entry.peer = event.peer;
      else if (event.ev === 'input-open') {
        warnOfBuffer(event.buffer);
        entry.events.connected();
      } else {
        const noSync = termination('streamFailed', 'noSync', `${entry.peer} sends no transport stream`);
        if (event.ev === 'no-sync') send({ op: 'stop-receive', id: event.id });
        finish(event.id, event.ev === 'no-sync' ? noSync : notOpened(event, entry.source));
      }
    },
    receive(id: number, bytes: Uint8Array): void {
      const entry = open.get(id);
      if (!entry) return;
      entry.bytes += bytes.length;
      entry.events.received(bytes);
    },
    figures(figures: InputFigures): void {
      const entry = open.get(figures.input);
      if (!entry) return;
      warnOfDrops(entry, figures);
      entry.figures = figures;
    },
    /** Called once per second. */
    tick(): void {
      for (const [id, entry] of open) {
        const desired = entry.events.hasReaders() ? batchMs : unreadBatchMs;
        if (desired === entry.batchMs) continue;
        if (send({ op: 'batch', input: id, ms: desired })) entry.batchMs = desired;
      }
    },
    /** The endpoint is gone. */
    endAll(): void {
      for (const id of [...open.keys()]) finish(id, endpointMissing('UDP'));
    },
  };
}

function reportOf(input: InputFigures): DatagramReport {
  const { datagrams, refused, lost, reordered, late, jitter } = input;
  const figures = { received: datagrams, dropped: droppedOf(input), refused, jitterMs: jitter };
  if (lost === undefined || reordered === undefined || late === undefined) return figures;
  return { ...figures, lost, reordered, late };
}

/** Data that the engine did not read is counted in bytes. */
function droppedOf({ overruns, dropped_bytes: bytes }: InputFigures): number {
  return overruns + Math.ceil(bytes / datagramBytes);
}

function notOpened(failed: InputFailed, { host, port }: UdpStream): Termination {
  return portNotOpened(`UDP port ${host}:${port} can't be opened`, port, failed);
}
