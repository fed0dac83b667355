/** The programs of a transport stream as listed by its PAT, section by section, and the desired one among them. */
import { isCurrent, sectionNumbers, withoutChecksum } from './psi.ts';
import { type Program, programsOf } from './tables.ts';

interface Listed {
  readonly section: Uint8Array;
  readonly programs: readonly Program[];
}

const patId = 0;
/** Limit over all sections, far above any real stream. Each new section is processed together with all others. */
const maxPrograms = 2048;

export class ProgramList {
  /** Undefined while no received section lists it, or if it is no longer listed. */
  program: Program | undefined;
  /** The section that lists it. */
  section: Uint8Array | undefined;
  /** Whether every section of the newest version has arrived. */
  isComplete = false;
  /** Number of listed programs. */
  count = 0;
  private readonly desired: number;
  private readonly sections = new Map<number, Listed>();
  /** Stream id and version of the sections. */
  private version = -1;
  private last = 0;
  private readonly rejected = new Set<number>();

  /** `desired`: the program number; 0 for the first program. */
  constructor(desired: number) {
    this.desired = desired;
  }

  /** Whether its PMT sections are the only ones on their PID. */
  get isAlone(): boolean {
    let count = 0;
    for (const { programs } of this.sections.values()) {
      for (const { pid } of programs) if (pid === this.program?.pid) count++;
    }
    return count < 2;
  }

  /** Takes a section; returns false if it does not apply now. */
  read(section: Uint8Array): boolean {
    if (!isCurrent(section, patId)) return false;
    const version = ((section[3] ?? 0) << 16) | ((section[4] ?? 0) << 8) | (section[5] ?? 0);
    if (version !== this.version) {
      this.sections.clear();
      this.rejected.clear();
      this.count = 0;
    }
    this.version = version;
    const { number, last } = sectionNumbers(section);
    if (this.sections.get(number)?.section === section) return true;
    const programs = programsOf(withoutChecksum(section));
    const count = this.count + programs.length - (this.sections.get(number)?.programs.length ?? 0);
    if (count > maxPrograms) return false;
    this.count = count;
    this.sections.set(number, { section, programs });
    this.isComplete = this.sections.size > last;
    this.last = last;
    this.find();
    return true;
  }

  /**
   * For a list that looks for the first program: the current one has no video or audio, so the next one is used. When
   * all have been rejected, the first one is used after all.
   */
  reject(): void {
    if (this.desired !== 0 || !this.program) return;
    this.rejected.add(this.program.number);
    this.find();
  }

  private find(): void {
    let first: Listed | undefined;
    for (let number = 0; number <= this.last; number++) {
      const listed = this.sections.get(number);
      // The first program is unknown until all sections before it have arrived.
      if (!listed && this.desired === 0) return;
      if (!listed || listed.programs.length === 0) continue;
      first ??= listed;
      const found = this.choose(listed.programs);
      if (!found) continue;
      this.program = found;
      this.section = listed.section;
      return;
    }
    // It may be in a section that has not arrived yet.
    if (!this.isComplete) return;
    if (this.desired !== 0) first = undefined;
    this.program = first?.programs[0];
    this.section = first?.section;
  }

  private choose(programs: readonly Program[]): Program | undefined {
    if (this.desired !== 0) return programs.find(({ number }) => number === this.desired);
    return programs.find(({ number }) => !this.rejected.has(number));
  }
}
