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

/** The latency of every SRT hop, ours and theirs. */
export const srtLatencyMs = 120;
