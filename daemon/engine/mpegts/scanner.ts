/**
 * Follows a transport stream packet by packet without changing it: tables, elementary streams, random access points,
 * continuity. A random access point is a packet in which a video access unit begins that a decoder can start with.
 */
import { startsWithKeyframe } from './access-unit.ts';
import {
  adaptationFlags,
  continuityOf,
  discontinuityFlag,
  hasPayload,
  nullPid,
  patPid,
  pidOf,
  randomAccessFlag,
  startsPayload,
} from './packet.ts';
import { ProgramList } from './program-list.ts';
import { createSectionReader, isCurrent, packetsOf, sectionNumbers, withoutChecksum } from './psi.ts';
import { type ElementaryStream, pmtId, streamsOf } from './tables.ts';

export interface Arrivals {
  readonly video: number;
  readonly audio: number;
}

export type TsScanner = ReturnType<typeof createTsScanner>;

const unseen = 0xff;
/** Up to the program descriptors, plus the checksum. */
const shortestPmt = 16;
/** A PMT arrives at least with every fifth PAT (every 500 ms and 100 ms by ETSI TR 101 290). */
const patsPerPmt = 10;

export function createTsScanner() {
  const continuity = new Uint8Array(8192).fill(unseen);
  const programs = new ProgramList(0);
  const patReader = createSectionReader();
  let pmtReader = createSectionReader();
  let pmtPid = -1;
  let program = 0;
  let pat: Uint8Array | undefined;
  let pmt: Uint8Array | undefined;
  /** Undefined until the next read writes the tables: sections may arrive far more often than the tables are read. */
  let tables: Uint8Array | undefined = new Uint8Array(0);
  let patsWithoutPmt = 0;
  let streams: readonly ElementaryStream[] = [];
  let video: ElementaryStream | undefined;
  let audio: ElementaryStream | undefined;
  let continuityErrors = 0;
  const arrivals = { video: 0, audio: 0 };

  function readPat(section: Uint8Array): void {
    if (!programs.read(section)) return;
    if (!pmt && sectionNumbers(section).number === 0 && ++patsWithoutPmt >= patsPerPmt) programs.reject();
    follow();
  }

  function follow(): void {
    const { program: found, section: listing } = programs;
    if (!found || !listing) return;
    if (found.pid !== pmtPid || found.number !== program) {
      pmtPid = found.pid;
      program = found.number;
      pmtReader = createSectionReader();
      pmt = undefined;
      patsWithoutPmt = 0;
    }
    if (isSame(pat, listing)) return;
    pat = listing.slice();
    if (pmt) tables = undefined;
  }

  function readPmt(section: Uint8Array): void {
    const number = ((section[3] ?? 0) << 8) | (section[4] ?? 0);
    // Programs may share the PID of their tables. A table alone on its PID may have the wrong program number.
    const isOurs = number === program || programs.isAlone;
    if (!isOurs || !isCurrent(section, pmtId) || section.length < shortestPmt || isSame(pmt, section)) return;
    pmt = section.slice();
    streams = streamsOf(withoutChecksum(pmt)).map(({ stream }) => stream);
    video = streams.find(({ kind }) => kind === 'video');
    audio = streams.find(({ kind }) => kind === 'audio');
    if (pat) tables = undefined;
    if (video || audio) return;
    programs.reject();
    follow();
  }

  function writeTables(): Uint8Array {
    return pat && pmt ? Buffer.concat([packetsOf(pat, patPid, 0), packetsOf(pmt, pmtPid, 0)]) : new Uint8Array(0);
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
    /** Examines the packet at `at`; returns true if it is a random access point. */
    scan(data: Uint8Array, at: number): boolean {
      const pid = pidOf(data, at);
      if (pid === nullPid) return false;
      countContinuity(data, at, pid);
      if (pid === patPid) {
        for (const section of patReader.read(data, at)) readPat(section);
        return false;
      }
      if (pid === pmtPid) {
        for (const section of pmtReader.read(data, at)) readPmt(section);
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
    /** Number of programs that the stream lists. */
    get programs() {
      return programs.count;
    },
    get continuityErrors() {
      return continuityErrors;
    },
    /** Numbers of access units seen of the first video and the first audio stream. */
    arrivals: arrivals as Arrivals,
    /** The latest PAT and PMT packets of the first program with video or audio; empty until both have arrived. */
    get tables(): Uint8Array {
      tables ??= writeTables();
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

function isSame(kept: Uint8Array | undefined, section: Uint8Array): boolean {
  if (kept?.length !== section.length) return false;
  for (let i = 0; i < section.length; i++) if (kept[i] !== section[i]) return false;
  return true;
}
