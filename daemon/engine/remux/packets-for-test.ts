/** Synthetic transport streams. */
import { packetSize } from '../mpegts/packet.ts';

export interface PesOptions {
  readonly pts?: number;
  readonly dts?: number;
  /** 0: the packet does not give its length. */
  readonly length?: number;
  readonly streamId?: number;
}

function time(prefix: number, ticks: number): number[] {
  const [high, middle, low] = [Math.floor(ticks / 2 ** 30), Math.floor(ticks / 2 ** 15) & 0x7fff, ticks & 0x7fff];
  return [(prefix << 4) | (high << 1) | 1, middle >> 7, ((middle & 0x7f) << 1) | 1, low >> 7, ((low & 0x7f) << 1) | 1];
}

export function pesPacket(data: Uint8Array, options: PesOptions = {}): Uint8Array {
  const { pts, dts, streamId = 0xe0 } = options;
  const stamps = [
    ...(pts === undefined ? [] : time(dts === undefined ? 2 : 3, pts)),
    ...(dts === undefined ? [] : time(1, dts)),
  ];
  const length = options.length ?? 3 + stamps.length + data.length;
  const flags = (pts === undefined ? 0 : 0x80) | (dts === undefined ? 0 : 0x40);
  return Uint8Array.of(0, 0, 1, streamId, length >> 8, length & 0xff, 0x80, flags, stamps.length, ...stamps, ...data);
}

export interface Counter {
  next: number;
}

export interface CarryOptions {
  readonly pid?: number;
  readonly counter: Counter;
  readonly randomAccess?: boolean;
  /** Payload bytes of each packet; the rest of it is stuffing. */
  readonly payload?: number;
}

/** The transport packets that carry a PES packet. */
export function carry(pes: Uint8Array, options: CarryOptions): Uint8Array[] {
  const { pid = 0x100, counter, randomAccess = false, payload = 184 } = options;
  const packets: Uint8Array[] = [];
  for (let at = 0; at < pes.length; ) {
    const isFirst = at === 0;
    const max = Math.min(payload, isFirst && randomAccess ? 182 : 184);
    const part = pes.subarray(at, at + max);
    at += part.length;
    const packet = new Uint8Array(packetSize).fill(0xff);
    const field = 184 - part.length;
    packet.set([0x47, (isFirst ? 0x40 : 0) | (pid >> 8), pid & 0xff, (field > 0 ? 0x30 : 0x10) | counter.next]);
    counter.next = (counter.next + 1) & 15;
    if (field > 0) packet[4] = field - 1;
    if (field > 1) packet[5] = isFirst && randomAccess ? 0x40 : 0;
    packet.set(part, packetSize - part.length);
    packets.push(packet);
  }
  return packets;
}
