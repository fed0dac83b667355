/**
 * Takes one programme out of a transport stream, with all of its audio streams or one: its packets pass as they are, and
 * PAT and PMT are written anew so that they tell of nothing else.
 */
import type { TsChoice } from '../../lib/input-options.ts';
import { nullPid, packetSize, patPid, pidOf } from './packet.ts';
import { createProgrammeList, type ProgrammeList } from './programme-list.ts';
import {
  crc32,
  createSectionReader,
  isCurrent,
  packetsOf,
  sectionNumbers,
  withChecksum,
  withoutChecksum,
} from './psi.ts';
import { type Programme, pmtId, type StreamEntry, streamsBegin, streamsOf } from './tables.ts';

export interface ProgrammeFilter {
  /** Whole packets; answers those that are left, with new tables. */
  take(data: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>;
  /** The stream has told its programmes, and nothing of this one has come: nothing passes. */
  readonly isMissing: boolean;
}

const pidCount = 8192;

export function createProgrammeFilter(choice: TsChoice): ProgrammeFilter {
  return new Filter(choice);
}

class Filter implements ProgrammeFilter {
  private readonly choice: TsChoice;
  private readonly patReader = createSectionReader();
  private pmtReader = createSectionReader();
  private readonly pat = new Table();
  private readonly pmt = new Table();
  private readonly list: ProgrammeList;
  private isListed = false;
  private streamId: readonly number[] = [0, 0];
  private programme: Programme | undefined;
  private hasStreams = false;
  private readonly passes = new Uint8Array(pidCount);
  private pieces: Uint8Array[] = [];

  constructor(choice: TsChoice) {
    this.choice = choice;
    this.list = createProgrammeList(choice.program);
  }

  get isMissing(): boolean {
    return this.isListed && !this.hasStreams;
  }

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
      else if (pid === this.programme?.pid) for (const section of this.pmtReader.read(data, at)) this.readPmt(section);
    }
    if (from === 0) return data;
    if (from > 0) this.pieces.push(data.subarray(from));
    return joined(this.pieces);
  }

  private readPat(section: Uint8Array): void {
    if (!this.list.read(section)) return;
    this.streamId = [section[3] ?? 0, section[4] ?? 0];
    const { programme, isComplete } = this.list;
    // It may be in a section that is yet to come.
    if (programme || isComplete) this.follow(programme);
    this.isListed ||= isComplete;
    if (this.hasStreams && sectionNumbers(section).number === 0) this.pushPat();
  }

  private follow(programme: Programme | undefined): void {
    const before = this.programme;
    this.programme = programme;
    if (before?.pid === programme?.pid && before?.number === programme?.number) return;
    this.pmtReader = createSectionReader();
    this.hasStreams = false;
    this.passes.fill(0);
  }

  private pushPat(): void {
    if (!this.programme) return;
    const { number, pid } = this.programme;
    const head = [0, 0xb0, 0, ...this.streamId, 0xc1, 0, 0];
    const entry = [number >> 8, number & 0xff, 0xe0 | (pid >> 8), pid & 0xff];
    this.pieces.push(this.pat.packets(Uint8Array.from([...head, ...entry]), patPid));
  }

  private readPmt(section: Uint8Array): void {
    const { programme } = this;
    const number = ((section[3] ?? 0) << 8) | (section[4] ?? 0);
    // Programmes may share the PID of their tables.
    if (!programme || number !== programme.number || !isCurrent(section, pmtId) || section.length < 16) return;
    const body = withoutChecksum(section);
    const entries = this.chosenOf(streamsOf(body));
    this.passes.fill(0);
    for (const pid of [clockPidOf(body), ...entries.map(({ stream }) => stream.pid)]) {
      if (pid !== nullPid && pid !== patPid && pid !== programme.pid) this.passes[pid] = 1;
    }
    if (!this.hasStreams) {
      this.hasStreams = true;
      this.pushPat();
    }
    const parts = [body.subarray(0, streamsBegin(body)), ...entries.map(({ from, to }) => body.subarray(from, to))];
    this.pieces.push(this.pmt.packets(joined(parts), programme.pid));
  }

  private chosenOf(entries: readonly StreamEntry[]): StreamEntry[] {
    const wanted = this.choice.audioTrack;
    let track = 0;
    return entries.filter(({ stream }) => stream.kind !== 'audio' || wanted === 0 || ++track === wanted);
  }
}

/** One table as it is sent: with a version that changes with what it says, and counters of its own. */
class Table {
  private said = -1;
  private version = 0;
  private pid = -1;
  private counter = 0;

  /** `body`: the section without its checksum; length, version and number are set here. */
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

  /** Taken from the content: receivers that outlive a choice or a connection see that the table is another one. */
  private say(content: number): void {
    if (content === this.said) return;
    const version = content & 31;
    this.version = this.said >= 0 && version === this.version ? (version + 1) & 31 : version;
    this.said = content;
  }
}

function clockPidOf(pmt: Uint8Array): number {
  return (((pmt[8] ?? 0) & 0x1f) << 8) | (pmt[9] ?? 0);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
