/** What is measured: something that takes one stream and gives it to n readers. */
import type { ToolAddress } from '../tools.ts';

export interface Subject {
  readonly id: string;
  readonly label: string;
  /** Ready to take the source when it resolves. */
  open(readers: number): Promise<Relay>;
  /** Ends what stays alive between runs. */
  close?(): Promise<void>;
}

export interface Relay {
  readonly ingest: ToolAddress;
  readonly egress: ToolAddress;
  /** The processes to count, by what they do. */
  processes(): Readonly<Record<string, readonly number[]>>;
  close(): Promise<void>;
}

/** What readers of one kind get of every channel. */
export interface MixedEgress extends ToolAddress {
  readonly kind: string;
}

/** Several channels at once, each with one reader of every kind. */
export interface MixedRelay {
  readonly ingests: readonly ToolAddress[];
  readonly egresses: readonly MixedEgress[];
  /** For what has to find the sources running. */
  begin?(): void;
  processes(): Readonly<Record<string, readonly number[]>>;
  close(): Promise<void>;
}

export interface MixedSubject {
  readonly id: string;
  readonly label: string;
  open(channels: number): Promise<MixedRelay>;
}

/** The latency of every SRT hop, ours and theirs. */
export const srtLatencyMs = 120;
