/** TS over UDP taken in: any sender on a port, or a multicast group. */

import { isMulticast } from '../../contract/rules.ts';
import { connectionStates } from '../../contract/streams.ts';
import type { Attempt, AttemptEvents } from '../leg.ts';
import type { TsSink } from '../mpegts/ts-sink.ts';
import type { UdpEndpointAddress } from '../protocol.ts';

/** Datagrams are handed on together: waking every subscriber for each of 600 a second would double the cost. */
const batchMs = 5;
/** Room for 5 ms of 100 Mb/s; a batch that is full goes on at once. */
const batchBytes = 64 << 10;
/** A sender that restarts gets through at once; an other one is shut out while the first is heard. */
const senderSilenceMs = 2000;

type Socket = Bun.udp.Socket<'buffer'>;

export interface UdpInput extends Attempt {
  /** The sender that is heard, `address:port`, or ''. */
  readonly peer: string;
}

export interface UdpInputEvents extends AttemptEvents {
  /** Asked before each datagram; false leaves it out. */
  admit(): boolean;
}

export function openUdpInput(source: UdpEndpointAddress, sink: TsSink, events: UdpInputEvents): UdpInput {
  const receiver = new UdpReceiver(source, sink, events);
  receiver.start();
  return receiver;
}

class UdpReceiver implements UdpInput {
  readonly skipped = 0;
  peer = '';
  private readonly source: UdpEndpointAddress;
  private readonly sink: TsSink;
  private readonly events: UdpInputEvents;
  private socket: Socket | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly batch = new Uint8Array(batchBytes);
  private batchEnd = 0;
  private heardAt = 0;
  private senderPort = 0;
  private senderAddress = '';
  private isClosed = false;

  constructor(source: UdpEndpointAddress, sink: TsSink, events: UdpInputEvents) {
    this.source = source;
    this.sink = sink;
    this.events = events;
  }

  get bytes(): number {
    return this.sink.bytes;
  }

  start(): void {
    this.open().catch((error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      const isBusy = /EADDRINUSE|in use/i.test(text);
      this.fail(isBusy ? 'addressInUse' : 'internal', `UDP port ${this.source.port} can't be opened: ${text}`);
    });
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.socket?.close();
    this.socket = undefined;
  }

  private async open(): Promise<void> {
    const { host, port } = this.source;
    const isGroup = isMulticast(host);
    const socket = await Bun.udpSocket({
      hostname: host,
      port,
      binaryType: 'buffer',
      socket: {
        data: (_, data, fromPort, fromAddress) => this.receive(data, fromPort, fromAddress),
        error: () => undefined,
      },
    });
    if (this.isClosed) return socket.close();
    this.socket = socket;
    if (isGroup) socket.addMembership(host, this.source.interface || undefined);
    this.events.connected();
  }

  private receive(data: Uint8Array, port: number, address: string): void {
    const now = performance.now();
    if (port !== this.senderPort || address !== this.senderAddress) {
      if (this.senderPort !== 0 && now - this.heardAt < senderSilenceMs) return;
      this.senderPort = port;
      this.senderAddress = address;
      this.peer = `${address}:${port}`;
    }
    this.heardAt = now;
    if (!this.events.admit()) return;
    if (this.batchEnd + data.length > batchBytes) this.flush();
    this.batch.set(data, this.batchEnd);
    this.batchEnd += data.length;
    this.timer ??= setTimeout(() => this.flush(), batchMs);
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.sink.write(this.batch.subarray(0, this.batchEnd));
    this.batchEnd = 0;
    this.sink.flush();
    if (this.sink.isOutOfSync) this.fail('noSync', `${this.peer} sends no transport stream`);
  }

  private fail(reason: 'addressInUse' | 'internal' | 'noSync', text: string): void {
    if (this.isClosed) return;
    this.close();
    this.events.ended({ conn: connectionStates.creationFailed, reason, hopeless: reason !== 'noSync', text });
  }
}
