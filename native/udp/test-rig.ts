/** A UDP endpoint under the address sanitizer, with the engine's side played by the test. */
import { expect } from 'bun:test';
import { createSocket, type Socket } from 'node:dgram';
import { readUdpEvent, type UdpEvent, type UdpOperation } from '../../daemon/engine/udp/protocol.ts';
import { leasePort } from '../../tests/support/ports.ts';
import { untilSeen, usualMs } from '../../tests/support/until.ts';
import { type Bare, endpointBinary, sanitizerReport, startBare } from '../common/test-endpoint.ts';
import { packetSize, StreamCheck } from '../common/test-ts.ts';

export const datagramBytes = 7 * packetSize;

export class UdpRig {
  readonly #sockets: Socket[] = [];
  readonly bare: Bare<UdpEvent>;

  private constructor(bare: Bare<UdpEvent>) {
    this.bare = bare;
  }

  static async start(): Promise<UdpRig> {
    return new UdpRig(await startBare(endpointBinary('udp', 'asan'), readUdpEvent));
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.close();
    this.bare.child.kill('SIGTERM');
    await this.bare.child.exited;
    this.bare.close();
    expect(await this.bare.stderr()).not.toMatch(sanitizerReport);
  }

  say(operation: UdpOperation): void {
    this.bare.control(JSON.stringify(operation));
  }

  /** Waits for an event and takes it out of the list. */
  async event<Name extends UdpEvent['ev']>(name: Name): Promise<Extract<UdpEvent, { ev: Name }>> {
    const { events } = this.bare;
    const find = () => events.findIndex(({ ev }) => ev === name);
    await untilSeen(
      () => events,
      () => find() >= 0,
      usualMs,
      `event ${name}`,
    );
    return events.splice(find(), 1)[0] as Extract<UdpEvent, { ev: Name }>;
  }

  /** Waits until everything said so far was done; answers the figures. */
  async settled(): Promise<Extract<UdpEvent, { ev: 'stats' }>['list']> {
    this.say({ op: 'report' });
    return (await this.event('stats')).list;
  }

  async receiver() {
    const socket = createSocket({ type: 'udp4', recvBufferSize: 4 << 20 });
    this.#sockets.push(socket);
    const found = { datagrams: [] as Buffer[], sizes: [] as number[], check: new StreamCheck() };
    socket.on('message', (data) => {
      found.datagrams.push(data);
      found.sizes.push(data.length);
      if (data[0] === 0x47) found.check.add(data);
    });
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    return { port: socket.address().port, ...found };
  }

  async sender(from = '127.0.0.1'): Promise<Socket> {
    const socket = createSocket('udp4');
    this.#sockets.push(socket);
    await new Promise<void>((resolve) => socket.bind(0, from, resolve));
    return socket;
  }

  async openOutput(id: number, port: number, change: { feed?: number; rtp?: boolean } = {}): Promise<void> {
    const { feed = 7, rtp = false } = change;
    this.say({ op: 'send', id, feed, host: '127.0.0.1', port, ttl: 0, interface: '', rtp });
    await this.event('output-open');
  }

  async openInput(id: number, rtp = false): Promise<number> {
    const port = leasePort();
    this.say({ op: 'receive', id, host: '127.0.0.1', port, interface: '', source: '', rtp });
    await this.event('input-open');
    return port;
  }
}

export function sendDatagram(socket: Socket, port: number, bytes: Uint8Array): Promise<void> {
  return new Promise<void>((resolve, reject) =>
    socket.send(bytes, port, '127.0.0.1', (error) => (error ? reject(error) : resolve())),
  );
}

export async function sendDatagrams(
  socket: Socket,
  port: number,
  bytes: Uint8Array,
  size = datagramBytes,
): Promise<void> {
  for (let at = 0; at < bytes.length; at += size) await sendDatagram(socket, port, bytes.subarray(at, at + size));
}

/** Packets of a made-up video stream, counted from `first`. */
export function packets(count: number, first = 0): Uint8Array {
  const bytes = new Uint8Array(count * packetSize).fill(0xaa);
  for (let i = 0; i < count; i++) bytes.set([0x47, 0x01, 0x00, 0x10 | ((first + i) & 15)], i * packetSize);
  return bytes;
}
