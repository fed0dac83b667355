/** What the hub wants of the engine: the whole of it, made anew from the database and sent on every change. */
import type { OutgoingRules } from '../lib/outgoing.ts';
import type { FetchSource, InputSource, OutputTarget } from './addresses.ts';

/** Port 0 means any free port; the engine reports the port that it opened. */
export interface EngineSettings {
  readonly bind: string;
  readonly rtmpPort: number;
  /** HLS and HTTP-TS. */
  readonly hlsPort: number;
  /** Addresses and CIDR ranges whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  readonly srt: {
    readonly port: number;
    readonly latencyMs: number;
    /** 0, 16, 24 or 32 bytes. */
    readonly keyLength: number;
    readonly passphrase: string;
  };
  readonly outgoing: OutgoingRules;
}

/** When the backup takes over from the main input, and when that one gets the channel back. */
export interface FailoverRule {
  /** Whether the backup is received all the time, or only while it is needed. */
  readonly standby: 'hot' | 'cold';
  /** An input that brings nothing for so long is lost. Milliseconds. */
  readonly noDataMs: number;
  /** The same for its picture and its sound; 0: nobody minds. */
  readonly noVideoMs: number;
  readonly noAudioMs: number;
  /** The way back to the main input: never while the backup is good, by hand, or once it was good for a while. */
  readonly back: 'never' | 'hand' | 'stable';
  readonly stableSeconds: number;
  /** What is shown when both are gone. */
  readonly slate: SlateWanted;
}
export type SlateWanted =
  | { readonly kind: 'none' }
  | { readonly kind: 'bars' }
  /** `path`: of a PNG or JPEG file. */
  | { readonly kind: 'picture'; readonly path: string };
/** A second input of a channel, any but whoever pushes. */
export interface WantedBackup {
  readonly inputId: number;
  readonly input: FetchSource;
  readonly failover: FailoverRule;
}

/** The channel's own NDI source: an output that no list of outputs has. */
export const ndiOutputId = 0;

export interface WantedOutput {
  readonly id: number;
  readonly enabled: boolean;
  readonly target: OutputTarget;
}
export interface WantedChannel {
  readonly id: number;
  readonly name: string;
  readonly enabled: boolean;
  readonly pushKey: string;
  readonly playKey: string;
  readonly allow: { readonly rtmp: boolean; readonly srt: boolean };
  /** A new publisher replaces one that still sends. */
  readonly takeover: boolean;
  /** 0 with `push`. */
  readonly inputId: number;
  readonly input: InputSource;
  readonly backup?: WantedBackup;
  readonly outputs: readonly WantedOutput[];
}
export interface WantedState {
  readonly generation: number;
  readonly settings: EngineSettings;
  readonly channels: readonly WantedChannel[];
}
