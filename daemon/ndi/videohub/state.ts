/** The state of the matrix as blocks of the Videohub protocol. Numbers start at 0. */
import { writeBlock } from './blocks.ts';

export interface PanelOutput {
  readonly label: string;
  /** Number of the input; null for none. */
  readonly input: number | null;
  /** Address of the panel that locked it, '' for a lock of a user; null if it is not locked. */
  readonly lockedBy: string | null;
}

export interface PanelState {
  readonly model: string;
  /** Of the protocol, such as `2.7`. */
  readonly version: string;
  readonly name: string;
  /** 12 hexadecimal digits. */
  readonly uniqueId: string;
  readonly isPresent: boolean;
  /** Labels. One more input, which stands for none, follows: in the protocol each output has an input. */
  readonly inputs: readonly string[];
  /** Undefined for a number without an output. */
  readonly outputs: readonly (PanelOutput | undefined)[];
}

export const sections = {
  preamble: 'PROTOCOL PREAMBLE',
  device: 'VIDEOHUB DEVICE',
  inputLabels: 'INPUT LABELS',
  outputLabels: 'OUTPUT LABELS',
  locks: 'VIDEO OUTPUT LOCKS',
  routing: 'VIDEO OUTPUT ROUTING',
  configuration: 'CONFIGURATION',
  end: 'END PRELUDE',
} as const;
export type Section = keyof typeof sections;

/** The order in which Videohub devices send the sections. Clients may wait for the last one. */
const dumpOrder = Object.keys(sections) as Section[];
const noneLabel = 'None';

/** The lines of each section as the client at this address sees them. */
export type Shown = Readonly<Record<Section, readonly string[]>>;

export function shownTo(state: PanelState, address: string): Shown {
  const { inputs, outputs } = state;
  const lines = (values: readonly string[]) => values.map((value, index) => `${index} ${value}`);
  const lockOf = (lockedBy: string | null) => (lockedBy === null ? 'U' : lockedBy === address ? 'O' : 'L');
  return {
    preamble: [`Version: ${state.version}`],
    device: [
      `Device present: ${state.isPresent}`,
      `Model name: ${state.model}`,
      `Friendly name: ${state.name}`,
      `Unique ID: ${state.uniqueId}`,
      `Video inputs: ${inputs.length + 1}`,
      'Video processing units: 0',
      `Video outputs: ${outputs.length}`,
      'Video monitoring outputs: 0',
      'Serial ports: 0',
    ],
    inputLabels: lines([...inputs, noneLabel]),
    outputLabels: lines(outputs.map((output) => output?.label ?? '')),
    locks: lines(outputs.map((output) => lockOf(output?.lockedBy ?? null))),
    routing: lines(outputs.map((output) => String(output?.input ?? inputs.length))),
    configuration: ['Take Mode: false'],
    end: [],
  };
}

export const sectionText = (section: Section, lines: readonly string[]): string => writeBlock(sections[section], lines);

export function dumpOf(shown: Shown): string {
  return dumpOrder.map((section) => sectionText(section, shown[section])).join('');
}

/** The sections that change while a client is connected. */
const watched = ['device', 'inputLabels', 'outputLabels', 'locks', 'routing'] as const;

/** Returns the changed lines of each section as blocks; '' if nothing changed. */
export function updateOf(before: Shown, after: Shown): string {
  return watched
    .flatMap((section) => {
      const changed = after[section].filter((line, at) => line !== before[section][at]);
      return changed.length === 0 ? [] : [sectionText(section, changed)];
    })
    .join('');
}
