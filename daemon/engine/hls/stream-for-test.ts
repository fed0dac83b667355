/** A synthetic transport stream for tests: tables, and one packet for each picture. */
import { packetSize } from '../mpegts/packet.ts';
import { packetsOf, withChecksum } from '../mpegts/psi.ts';
import { createTsBus, type TsBus } from '../mpegts/ts-bus.ts';

const videoPid = 0x100;
const pmtPid = 0x1000;

export interface MadeUpStream {
  readonly bus: TsBus;
  /** Adds a picture at this time, in ticks of 90 kHz; its bytes go to the bus at once. It arrived `agoMs` earlier. */
  picture(ticks: number, isEntry: boolean, agoMs?: number): void;
  /** Adds pictures at 25 per second from `seconds` on, with a keyframe every `group` of them. */
  pictures(from: number, count: number, group: number): void;
  /** Another publisher takes over. */
  startAgain(streamType?: number): void;
  /** The tables change while the stream continues. */
  announce(streamType: number): void;
}

export const pictureTicks = 3600;

export function createMadeUpStream(): MadeUpStream {
  const bus = createTsBus({ lagMs: 1e9, lagBytes: 1e9, ownBytes: 1e9, maxBytes: 1e9, maxMs: 1e9 }, () => 0);
  bus.tables = tablesOf(27);
  const picture = (ticks: number, isEntry: boolean, agoMs = 0) => {
    bus.ring.push({ data: picturePacket(ticks), bytes: packetSize, entryPoint: isEntry }, -agoMs);
    bus.ring.notify();
  };
  return {
    bus,
    picture,
    pictures(from, count, group) {
      for (let at = 0; at < count; at++) picture(from + at * pictureTicks, at % group === 0);
    },
    startAgain(streamType = 27) {
      bus.ring.clear();
      bus.tables = tablesOf(streamType);
    },
    announce(streamType) {
      bus.tables = tablesOf(streamType);
    },
  };
}

function tablesOf(streamType: number): Uint8Array {
  const pat = [0, 0xb0, 13, 0, 1, 0xc1, 0, 0, 0, 1, 0xe0 | (pmtPid >> 8), pmtPid & 0xff];
  const stream = [streamType, 0xe0 | (videoPid >> 8), videoPid & 0xff, 0xf0, 0];
  const pmt = [2, 0xb0, 13 + stream.length, 0, 1, 0xc1, 0, 0, 0xe1, 0, 0xf0, 0, ...stream];
  const packets = (pid: number, body: number[]) => packetsOf(withChecksum(Uint8Array.from(body)), pid, 0);
  return Buffer.concat([packets(0, pat), packets(pmtPid, pmt)]);
}

function picturePacket(ticks: number): Uint8Array<ArrayBuffer> {
  const low = ticks % 2 ** 30;
  const time = [
    0x21 | (Math.floor(ticks / 2 ** 30) << 1),
    (low >> 22) & 0xff,
    ((low >> 14) & 0xfe) | 1,
    (low >> 7) & 0xff,
    ((low << 1) & 0xfe) | 1,
  ];
  return Uint8Array.from(packet(videoPid, [0, 0, 1, 0xe0, 0, 0, 0x80, 0x80, 5, ...time]));
}

function packet(pid: number, payload: number[]): number[] {
  const bytes = [0x47, 0x40 | (pid >> 8), pid & 0xff, 0x10, ...payload];
  return [...bytes, ...new Array<number>(packetSize - bytes.length).fill(0xff)];
}
