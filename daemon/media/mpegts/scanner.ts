/**
 * Follows a transport stream packet by packet without changing it: tables, elementary streams, entry points, continuity.
 * An entry point is a packet in which a video access unit begins that a decoder can start with.
 */
import { startsWithKeyframe } from './access-unit.ts';
import {
  adaptationFlags,
  continuityOf,
  discontinuityFlag,
  hasPayload,
  nullPid,
  packetSize,
  pidOf,
  randomAccessFlag,
  startsPayload,
} from './packet.ts';
import { type ElementaryStream, parsePat, parsePmt } from './tables.ts';

export interface Arrivals {
  readonly video: number;
  readonly audio: number;
}

export interface TsScanner {
  /** Looks at the packet at `at`; true when it is an entry point. */
  scan(data: Uint8Array, at: number): boolean;
  readonly streams: readonly ElementaryStream[];
  readonly continuityErrors: number;
  /** Access units of the first video and the first audio stream that began. */
  readonly arrivals: Arrivals;
  /** PAT and PMT packets as last seen, or an empty array. */
  readonly tables: Uint8Array;
  readonly video: ElementaryStream | undefined;
  readonly audio: ElementaryStream | undefined;
}

const unseen = 0xff;

export function createTsScanner(): TsScanner {
  const continuity = new Uint8Array(8192).fill(unseen);
  let pmtPid = -1;
  let pat: Uint8Array | undefined;
  let pmt: Uint8Array | undefined;
  let tables = new Uint8Array(0);
  let streams: readonly ElementaryStream[] = [];
  let video: ElementaryStream | undefined;
  let audio: ElementaryStream | undefined;
  let continuityErrors = 0;
  const arrivals = { video: 0, audio: 0 };

  function keepTable(data: Uint8Array, at: number, previous: Uint8Array | undefined): Uint8Array {
    if (previous && sameSection(previous, data, at)) return previous;
    return data.slice(at, at + packetSize);
  }

  function readTables(data: Uint8Array, at: number, pid: number): void {
    if (!startsPayload(data, at)) return;
    const before = [pat, pmt];
    if (pid === 0) {
      const found = parsePat(data, at);
      if (found === undefined) return;
      if (found !== pmtPid) pmt = undefined;
      pmtPid = found;
      pat = keepTable(data, at, pat);
    } else {
      const found = parsePmt(data, at);
      if (!found) return;
      pmt = keepTable(data, at, pmt);
      if (pmt === before[1]) return;
      streams = found;
      video = found.find((stream) => stream.kind === 'video');
      audio = found.find((stream) => stream.kind === 'audio');
    }
    if (pat && pmt && (pat !== before[0] || pmt !== before[1])) {
      tables = new Uint8Array(2 * packetSize);
      tables.set(pat, 0);
      tables.set(pmt, packetSize);
    }
  }

  function countContinuity(data: Uint8Array, at: number, pid: number): void {
    const counter = continuityOf(data, at);
    const last = continuity[pid] ?? unseen;
    continuity[pid] = counter;
    if (last === unseen || (adaptationFlags(data, at) & discontinuityFlag) !== 0) return;
    // A packet without payload keeps the counter; one packet may be sent twice.
    const expected = hasPayload(data, at) ? (last + 1) & 15 : last;
    if (counter !== expected && counter !== last) continuityErrors++;
  }

  return {
    scan(data, at) {
      const pid = pidOf(data, at);
      if (pid === nullPid) return false;
      countContinuity(data, at, pid);
      if (pid === 0 || pid === pmtPid) {
        readTables(data, at, pid);
        return false;
      }
      if (!startsPayload(data, at)) return false;
      if (pid === audio?.pid) arrivals.audio++;
      if (!video) return pid === audio?.pid;
      if (pid !== video.pid) return false;
      arrivals.video++;
      return (adaptationFlags(data, at) & randomAccessFlag) !== 0 || startsWithKeyframe(data, at, video.codec);
    },
    get streams() {
      return streams;
    },
    get continuityErrors() {
      return continuityErrors;
    },
    arrivals,
    get tables() {
      return tables;
    },
    get video() {
      return video;
    },
    get audio() {
      return audio;
    },
  };
}

/** Compares table packets without their continuity counters. */
function sameSection(kept: Uint8Array, data: Uint8Array, at: number): boolean {
  for (let i = 0; i < packetSize; i++) {
    const mask = i === 3 ? 0xf0 : 0xff;
    if (((kept[i] ?? 0) & mask) !== ((data[at + i] ?? 0) & mask)) return false;
  }
  return true;
}
