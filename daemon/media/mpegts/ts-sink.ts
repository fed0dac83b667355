/** Takes the bytes of one publisher: finds packets, cuts runs at entry points, keeps the bus's tables current. */
import type { TsChoice } from '../../lib/input-options.ts';
import type { MediaStatus } from '../status.ts';
import { packetSize } from './packet.ts';
import { PacketAligner } from './packet-aligner.ts';
import { createProgrammeFilter } from './programme-filter.ts';
import { type Arrivals, createTsScanner } from './scanner.ts';
import { type SpsReader, StreamFacts } from './stream-facts.ts';
import type { TsBus } from './ts-bus.ts';

/** A stream with so much more noise than packets is not a transport stream. Bytes. */
export const noSyncLimit = 64 << 10;

export interface TsSink {
  /** Any bytes; the sink copies them. Units are pushed, subscribers are not told yet. */
  write(bytes: Uint8Array): void;
  /** Tells the subscribers. */
  flush(): void;
  readonly bytes: number;
  readonly continuityErrors: number;
  readonly arrivals: Arrivals;
  readonly media: MediaStatus | undefined;
  /** More than `noSyncLimit` bytes held no packet. */
  readonly isOutOfSync: boolean;
  /** What came until now would be noise rather than a transport stream. */
  readonly isNoise: boolean;
  /** The chosen programme isn't in the stream, of which so nothing passes. */
  readonly lacksProgramme: boolean;
}

/** Without a choice the stream passes as it is. */
export function createTsSink(bus: TsBus, readSps: SpsReader, choice?: TsChoice): TsSink {
  const scanner = createTsScanner();
  const filter = choice && createProgrammeFilter(choice);
  const aligner = new PacketAligner((packets) => scanRun(filter ? filter.take(packets) : packets));
  let bytes = 0;
  const facts = new StreamFacts(scanner, readSps);

  function pushRun(data: Uint8Array<ArrayBuffer>, from: number, to: number, entryPoint: boolean): void {
    if (to <= from) return;
    bus.ring.push({ data: data.subarray(from, to), bytes: to - from, entryPoint });
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
    write(input) {
      bytes += input.length;
      aligner.write(input);
    },
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
    get isOutOfSync() {
      return aligner.discarded > noSyncLimit;
    },
    get isNoise() {
      return bytes > 0 && scanner.streams.length === 0 && aligner.discarded + aligner.heldBytes > bytes / 2;
    },
    get lacksProgramme() {
      return filter?.isMissing ?? false;
    },
  };
}
