/** TS over UDP, unicast or multicast: datagrams of seven packets, spread so that a burst doesn't overrun a receiver. */
import { lookup } from 'node:dns/promises';
import { isIpv4, isMulticast } from '../../contract/rules.ts';
import { connectionStates } from '../../contract/streams.ts';
import type { Attempt, AttemptEvents } from '../leg.ts';
import { packetSize } from '../mpegts/packet.ts';
import type { TsBus, TsUnit } from '../mpegts/ts-bus.ts';
import type { UdpEndpointAddress } from '../protocol.ts';

const datagramBytes = 7 * packetSize;
/**
 * A default receive buffer (208 KiB) holds about 90 datagrams. A keyframe arrives as 150 and more at once; 32 per
 * millisecond is 337 Mb/s, far above any stream, and leaves the receiver time to read.
 */
const burst = 32;
const burstEveryMs = 1;
const lookupMs = 5000;

/** Sends datagrams to the one destination; answers how many the system took. */
interface Sender {
  send(datagrams: readonly Uint8Array<ArrayBuffer>[]): number;
  close(): void;
}
interface SenderEvents {
  drain(): void;
  error(): void;
}

export function openUdpOutput(target: UdpEndpointAddress, bus: TsBus, events: AttemptEvents): Attempt {
  const sender = new UdpSender(target, bus, events);
  sender.start();
  return sender;
}

class UdpSender implements Attempt {
  bytes = 0;
  private readonly target: UdpEndpointAddress;
  private readonly bus: TsBus;
  private readonly events: AttemptEvents;
  private socket: Sender | undefined;
  private cursor: ReturnType<TsBus['ring']['subscribe']> | undefined;
  private queue: readonly Uint8Array<ArrayBuffer>[] = [];
  private queueAt = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isClosed = false;
  private lostDatagrams = 0;

  constructor(target: UdpEndpointAddress, bus: TsBus, events: AttemptEvents) {
    this.target = target;
    this.bus = bus;
    this.events = events;
  }

  get skipped(): number {
    return this.lostDatagrams + (this.cursor?.skipped.units ?? 0);
  }

  start(): void {
    this.open().catch((error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      this.finish(connectionStates.creationFailed, 'internal', false, `no UDP socket: ${text}`);
    });
  }

  close(): void {
    this.release();
  }

  private async open(): Promise<void> {
    const address = await this.resolve();
    if (address === undefined || this.isClosed) return;
    // Nobody needs to be there yet: a refusal is no error of an output without connection.
    const socketEvents = { drain: () => this.pump(), error: () => undefined };
    const open = isMulticast(address) ? openGroupSender : openPeerSender;
    const socket = await open(this.target, address, socketEvents);
    if (this.isClosed) return socket.close();
    this.socket = socket;
    this.cursor = this.bus.ring.subscribe(() => this.pump(), 'next');
    this.events.connected();
  }

  private async resolve(): Promise<string | undefined> {
    if (isIpv4(this.target.host)) return this.target.host;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('no answer')), lookupMs);
    });
    try {
      return (await Promise.race([lookup(this.target.host, { family: 4 }), timeout])).address;
    } catch {
      this.finish(connectionStates.dnsFailed, 'dnsFailed', true, `the name ${this.target.host} has no address`);
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Sends what is due; at most `burst` datagrams, then it lets the receiver breathe. */
  private pump(): void {
    if (this.timer !== undefined) return;
    let budget = burst;
    while (budget > 0) {
      if (this.queueAt >= this.queue.length && !this.refill()) return;
      const rest = this.queue.length - this.queueAt;
      const isWhole = this.queueAt === 0 && rest <= budget;
      const part = isWhole ? this.queue : this.queue.slice(this.queueAt, this.queueAt + budget);
      this.send(part);
      this.queueAt += part.length;
      budget -= part.length;
    }
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.pump();
    }, burstEveryMs);
  }

  private refill(): boolean {
    const unit = this.cursor?.take();
    if (!unit) return false;
    unit.datagrams ??= toDatagrams(unit);
    this.queue = unit.datagrams;
    this.queueAt = 0;
    return true;
  }

  /** The network has no flow control: what the system doesn't take now is lost, and counted. */
  private send(datagrams: readonly Uint8Array<ArrayBuffer>[]): void {
    let sent = 0;
    // A refusal of the far end (ICMP) ends a call early although the datagrams can be sent: go on after it.
    for (let empty = 0; sent < datagrams.length && empty < 2; ) {
      const taken = this.sendSome(sent === 0 ? datagrams : datagrams.slice(sent));
      if (taken === 0) empty++;
      for (let i = sent; i < sent + taken; i++) this.bytes += datagrams[i]?.length ?? 0;
      sent += taken;
    }
    this.lostDatagrams += datagrams.length - sent;
  }

  private sendSome(datagrams: readonly Uint8Array<ArrayBuffer>[]): number {
    try {
      return Math.max(0, this.socket?.send(datagrams) ?? 0);
    } catch {
      return 0;
    }
  }

  private finish(conn: number, reason: 'dnsFailed' | 'internal', hopeless: boolean, text: string): void {
    if (this.isClosed) return;
    this.release();
    this.events.ended({ conn, reason, hopeless, text });
  }

  private release(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.cursor?.close();
    this.socket?.close();
    this.socket = undefined;
  }
}

function toDatagrams(unit: TsUnit): Uint8Array<ArrayBuffer>[] {
  const list: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < unit.data.length; at += datagramBytes) list.push(unit.data.subarray(at, at + datagramBytes));
  return list;
}

/** Connected: the system looks the route up once, and one list of datagrams serves every output. */
async function openPeerSender(target: UdpEndpointAddress, address: string, events: SenderEvents): Promise<Sender> {
  const socket = await Bun.udpSocket({
    connect: { hostname: address, port: target.port },
    ...(target.interface && { hostname: target.interface }),
    socket: events,
  });
  if (target.ttl > 0) socket.setTTL(target.ttl);
  return { send: (datagrams) => socket.sendMany(datagrams), close: () => socket.close() };
}

/** Not connected: a connection fixes the interface before it can be chosen. */
async function openGroupSender(target: UdpEndpointAddress, address: string, events: SenderEvents): Promise<Sender> {
  const socket = await Bun.udpSocket({ socket: events });
  socket.setMulticastTTL(target.ttl);
  if (target.interface) socket.setMulticastInterface(target.interface);
  const { port } = target;
  return {
    send: (datagrams) => socket.sendMany(datagrams.flatMap((datagram) => [datagram, port, address])),
    close: () => socket.close(),
  };
}
