/** A measured system, which sends one stream to n readers. */
import type { ToolAddress } from '../tools.ts';

export interface Subject {
  readonly id: string;
  readonly label: string;
  /** Resolves when it is ready for the source. */
  open(readers: number): Promise<Relay>;
  /** Ends what stays running between runs. */
  close?(): Promise<void>;
}

export interface Relay {
  readonly ingest: ToolAddress;
  readonly egress: ToolAddress;
  /** The processes to measure, by role. */
  processes(): Readonly<Record<string, readonly number[]>>;
  close(): Promise<void>;
}

/** The stream that readers of one kind get from every channel. */
export interface MixedEgress extends ToolAddress {
  readonly kind: string;
}

/** Several channels at once, each with one reader of every kind. */
export interface MixedRelay {
  readonly ingests: readonly ToolAddress[];
  readonly egresses: readonly MixedEgress[];
  /** For parts that must start after the sources. */
  begin?(): void;
  processes(): Readonly<Record<string, readonly number[]>>;
  close(): Promise<void>;
}

export interface MixedSubject {
  readonly id: string;
  readonly label: string;
  open(channels: number): Promise<MixedRelay>;
}

/** The latency of every SRT hop, for all systems. */
export const srtLatencyMs = 120;
