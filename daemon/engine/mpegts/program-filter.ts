/**
 * Extracts one program from a transport stream, with all of its audio streams or one. Its packets pass unchanged; PAT
 * and PMT are rewritten so that they list nothing else.
 */
import type { TsChoice } from '../../sources/stream-address.ts';
import { nullPid, packetSize, patPid, pidOf } from './packet.ts';
import { ProgramList } from './program-list.ts';
import {
  crc32,
  createSectionReader,
  isCurrent,
  packetsOf,
  sectionNumbers,
  withChecksum,
  withoutChecksum,
} from './psi.ts';
import { type Program, pmtId, type StreamEntry, streamsBegin, streamsOf } from './tables.ts';

const pidCount = 8192;

export class ProgramFilter {
  private readonly choice: TsChoice;
  private readonly patReader = createSectionReader();
  private pmtReader = createSectionReader();
  private readonly pat = new Table();
  private readonly pmt = new Table();
  private readonly list: ProgramList;
  private isListed = false;
  private streamId: readonly number[] = [0, 0];
  private program: Program | undefined;
  private hasStreams = false;
  private readonly passes = new Uint8Array(pidCount);
  private pieces: Uint8Array[] = [];

  constructor(choice: TsChoice) {
    this.choice = choice;
    this.list = new ProgramList(choice.program);
  }

  /** The stream has listed its programs, but no PMT of this one has arrived: nothing passes. */
  get isMissing(): boolean {
    return this.isListed && !this.hasStreams;
  }

  /** Takes whole packets; returns the remaining ones, with new tables. */
  take(data: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    this.pieces = [];
    let from = -1;
    for (let at = 0; at < data.length; at += packetSize) {
      const pid = pidOf(data, at);
      if (this.passes[pid] === 1) {
        if (from < 0) from = at;
        continue;
      }
      if (from >= 0) this.pieces.push(data.subarray(from, at));
      from = -1;
      if (pid === patPid) for (const section of this.patReader.read(data, at)) this.readPat(section);
      else if (pid === this.program?.pid) for (const section of this.pmtReader.read(data, at)) this.readPmt(section);
    }
    if (from === 0) return data;
    if (from > 0) this.pieces.push(data.subarray(from));
    return Buffer.concat(this.pieces);
  }

  private readPat(section: Uint8Array): void {
    if (!this.list.read(section)) return;
    this.streamId = [section[3] ?? 0, section[4] ?? 0];
    const { program, isComplete } = this.list;
    // It may be in a section that has not arrived yet.
    if (program || isComplete) this.follow(program);
    this.isListed ||= isComplete;
    if (this.hasStreams && sectionNumbers(section).number === 0) this.pushPat();
  }

  private follow(program: Program | undefined): void {
    const before = this.program;
    this.program = program;
    if (before?.pid === program?.pid && before?.number === program?.number) return;
    this.pmtReader = createSectionReader();
    this.hasStreams = false;
    this.passes.fill(0);
  }

  private pushPat(): void {
    if (!this.program) return;
    const { number, pid } = this.program;
    const head = [0, 0xb0, 0, ...this.streamId, 0xc1, 0, 0];
    const entry = [number >> 8, number & 0xff, 0xe0 | (pid >> 8), pid & 0xff];
    this.pieces.push(this.pat.packets(Uint8Array.from([...head, ...entry]), patPid));
  }

  private readPmt(section: Uint8Array): void {
    const { program } = this;
    const number = ((section[3] ?? 0) << 8) | (section[4] ?? 0);
    // Programs may share the PID of their tables.
    if (!program || number !== program.number || !isCurrent(section, pmtId) || section.length < 16) return;
    const body = withoutChecksum(section);
    const entries = this.chosenOf(streamsOf(body));
    this.passes.fill(0);
    for (const pid of [clockPidOf(body), ...entries.map(({ stream }) => stream.pid)]) {
      if (pid !== nullPid && pid !== patPid && pid !== program.pid) this.passes[pid] = 1;
    }
    if (!this.hasStreams) {
      this.hasStreams = true;
      this.pushPat();
    }
    const parts = [body.subarray(0, streamsBegin(body)), ...entries.map(({ from, to }) => body.subarray(from, to))];
    this.pieces.push(this.pmt.packets(Buffer.concat(parts), program.pid));
  }

  private chosenOf(entries: readonly StreamEntry[]): StreamEntry[] {
    const desired = this.choice.audioTrack;
    let track = 0;
    return entries.filter(({ stream }) => stream.kind !== 'audio' || desired === 0 || ++track === desired);
  }
}

/** One table as it is sent, with a version that changes with its content, and its own continuity counter. */
class Table {
  private lastContent = -1;
  private version = 0;
  private pid = -1;
  private counter = 0;

  /** `body`: the section without its checksum; length, version and section numbers are set here. */
  packets(body: Uint8Array, pid: number): Uint8Array<ArrayBuffer> {
    const section = Uint8Array.from(body);
    const length = body.length - 3 + 4;
    section[1] = 0xb0 | (length >> 8);
    section[2] = length & 0xff;
    section.set([0xc1, 0, 0], 5);
    this.say(crc32(section));
    section[5] = 0xc1 | (this.version << 1);
    if (pid !== this.pid) this.counter = 0;
    this.pid = pid;
    const packets = packetsOf(withChecksum(section), pid, this.counter);
    this.counter = (this.counter + packets.length / packetSize) & 15;
    return packets;
  }

  /** Derived from the content, so that receivers notice a new table even after a change of choice or connection. */
  private say(content: number): void {
    if (content === this.lastContent) return;
    const version = content & 31;
    this.version = this.lastContent >= 0 && version === this.version ? (version + 1) & 31 : version;
    this.lastContent = content;
  }
}

function clockPidOf(pmt: Uint8Array): number {
  return (((pmt[8] ?? 0) & 0x1f) << 8) | (pmt[9] ?? 0);
}
