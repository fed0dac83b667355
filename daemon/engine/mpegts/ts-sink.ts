/** Takes the bytes of one publisher: finds packets, cuts runs at random access points, updates the bus's tables. */
import type { TsChoice } from '../../sources/stream-address.ts';
import { packetSize } from './packet.ts';
import { PacketAligner } from './packet-aligner.ts';
import { ProgramFilter } from './program-filter.ts';
import { createTsScanner } from './scanner.ts';
import { StreamFacts } from './stream-facts.ts';
import type { TsBus } from './ts-bus.ts';

/** If noise exceeds packets by this many bytes, the data is not a transport stream. */
export const noSyncLimit = 64 << 10;

export type TsSink = ReturnType<typeof createTsSink>;

/** Without `choice`, the stream passes unchanged. */
export function createTsSink(bus: TsBus, choice?: TsChoice) {
  const scanner = createTsScanner();
  const filter = choice && new ProgramFilter(choice);
  const aligner = new PacketAligner((packets) => scanRun(filter ? filter.take(packets) : packets));
  let bytes = 0;
  const facts = new StreamFacts(scanner);

  function pushRun(data: Uint8Array<ArrayBuffer>, from: number, to: number, entryPoint: boolean): void {
    if (to <= from) return;
    const bytes = to - from;
    bus.ring.push({ data: bytes === data.length ? data : data.subarray(from, to), bytes, entryPoint });
  }

  function scanRun(data: Uint8Array<ArrayBuffer>): void {
    let runStart = 0;
    let runIsEntry = false;
    for (let at = 0; at < data.length; at += packetSize) {
      const isEntry = scanner.scan(data, at);
      if (facts.isSoundDue) facts.readSound(data, at);
      if (!isEntry) continue;
      pushRun(data, runStart, at, runIsEntry);
      runStart = at;
      runIsEntry = true;
      facts.readEntry(data, at);
    }
    pushRun(data, runStart, data.length, runIsEntry);
    if (scanner.tables !== bus.tables && scanner.tables.length > 0) bus.tables = scanner.tables;
  }

  return {
    /** Accepts any bytes and copies them. Pushes units; subscribers are notified by flush(). */
    write(input: Uint8Array) {
      bytes += input.length;
      aligner.write(input);
    },
    /** Notifies the subscribers. */
    flush() {
      bus.ring.notify();
    },
    get bytes() {
      return bytes;
    },
    get continuityErrors() {
      return scanner.continuityErrors;
    },
    arrivals: scanner.arrivals,
    get media() {
      return facts.media;
    },
    /** Noise exceeded the packets by more than `noSyncLimit` bytes. */
    get isOutOfSync() {
      return aligner.discarded > noSyncLimit;
    },
    /** The data so far looks like noise rather than a transport stream. */
    get isNoise() {
      return bytes > 0 && scanner.streams.length === 0 && aligner.discarded + aligner.heldBytes > bytes / 2;
    },
    /** The stream lacks the selected program, so nothing passes. */
    get lacksProgram() {
      return filter?.isMissing ?? false;
    },
  };
}
