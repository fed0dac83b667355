/** The programmes of a transport stream as its PAT tells them, section by section, and the one of them that is wanted. */
import { isCurrent, sectionNumbers, withoutChecksum } from './psi.ts';
import { type Programme, programmesOf } from './tables.ts';

export interface ProgrammeList {
  /** Takes a section; false when it says nothing about what is now. */
  read(section: Uint8Array): boolean;
  /**
   * Of a list that wants the first: there is nothing to see or hear in it, so the next one is. When that is said of all,
   * it is the first after all.
   */
  reject(): void;
  /** Undefined while it is in none of the sections that came, or isn't listed any more. */
  readonly programme: Programme | undefined;
  /** The section that lists it. */
  readonly section: Uint8Array | undefined;
  /** Whether every section of the newest version came. */
  readonly isComplete: boolean;
  /** Whether the sections of its PMT are the only ones on their PID. */
  readonly isAlone: boolean;
  /** How many are listed. */
  readonly count: number;
}

interface Listed {
  readonly section: Uint8Array;
  readonly programmes: readonly Programme[];
}

const patId = 0;
/** Limit over all sections, far above any real stream. Each new section is processed together with all others. */
const mostProgrammes = 2048;

/** `wanted`: its number; 0 for the first. */
export function createProgrammeList(wanted: number): ProgrammeList {
  return new List(wanted);
}

class List implements ProgrammeList {
  programme: Programme | undefined;
  section: Uint8Array | undefined;
  isComplete = false;
  private readonly wanted: number;
  private readonly sections = new Map<number, Listed>();
  count = 0;
  /** Stream and version that the sections are of. */
  private version = '';
  private last = 0;
  private readonly rejected = new Set<number>();

  constructor(wanted: number) {
    this.wanted = wanted;
  }

  get isAlone(): boolean {
    let count = 0;
    for (const { programmes } of this.sections.values()) {
      for (const { pid } of programmes) if (pid === this.programme?.pid) count++;
    }
    return count < 2;
  }

  read(section: Uint8Array): boolean {
    if (!isCurrent(section, patId)) return false;
    const version = section.subarray(3, 6).join();
    if (version !== this.version) {
      this.sections.clear();
      this.rejected.clear();
      this.count = 0;
    }
    this.version = version;
    const { number, last } = sectionNumbers(section);
    const programmes = programmesOf(withoutChecksum(section));
    const count = this.count + programmes.length - (this.sections.get(number)?.programmes.length ?? 0);
    if (count > mostProgrammes) return false;
    this.count = count;
    this.sections.set(number, { section, programmes });
    this.isComplete = this.sections.size > last;
    this.last = last;
    this.find();
    return true;
  }

  reject(): void {
    if (this.wanted !== 0 || !this.programme) return;
    this.rejected.add(this.programme.number);
    this.find();
  }

  private find(): void {
    let first: Listed | undefined;
    for (let number = 0; number <= this.last; number++) {
      const listed = this.sections.get(number);
      // Which one is the first, nobody knows before those in front have come.
      if (!listed && this.wanted === 0) return;
      if (!listed || listed.programmes.length === 0) continue;
      first ??= listed;
      const found = this.choose(listed.programmes);
      if (!found) continue;
      this.programme = found;
      this.section = listed.section;
      return;
    }
    // It may be in a section that is yet to come.
    if (!this.isComplete) return;
    if (this.wanted !== 0) first = undefined;
    this.programme = first?.programmes[0];
    this.section = first?.section;
  }

  private choose(programmes: readonly Programme[]): Programme | undefined {
    if (this.wanted !== 0) return programmes.find(({ number }) => number === this.wanted);
    return programmes.find(({ number }) => !this.rejected.has(number));
  }
}
