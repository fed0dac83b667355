/** The desired state of the engine, always complete: rebuilt from the database and sent on every change. */
import type { FailoverRule as StoredRule } from '../../contract/failover.ts';
import type { OutgoingRules } from '../../lib/outgoing.ts';
import type { FetchSource, OutputTarget } from '../../sources/stream-address.ts';

/** Port 0 means any free port; the engine reports the port that it opened. */
export interface EngineSettings {
  readonly bind: string;
  readonly rtmpPort: number;
  /** HLS and HTTP-TS. */
  readonly hlsPort: number;
  /** Addresses and CIDR ranges whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  readonly srt: {
    readonly port: number;
    readonly latencyMs: number;
    /** 0, 16, 24 or 32 bytes. */
    readonly keyLength: number;
    readonly passphrase: string;
  };
  readonly outgoing: OutgoingRules;
  /** Applies to NDI inputs and outputs that have no such settings of their own; lists separated by commas, or ''. */
  readonly ndi?: {
    readonly servers: string;
    readonly extraIps: string;
    readonly sendGroups: string;
    readonly receiveGroups: string;
  };
}

/** When the backup takes over from the main input, when it hands back, and what is shown while both are down. */
export type FailoverRule = Omit<StoredRule, 'slate'> & { readonly slate: SlateDesired };
export type SlateDesired =
  | { readonly kind: 'none' }
  | { readonly kind: 'bars' }
  /** `path`: path of a PNG or JPEG file. */
  | { readonly kind: 'picture'; readonly path: string };
/** The second input of a channel, any kind except a publisher. */
export interface DesiredBackup {
  readonly inputId: number;
  readonly input: FetchSource;
  readonly failover: FailoverRule;
}

/** ID of the output for the channel's own NDI source, which is never listed. */
export const ndiOutputId = 0;

export interface DesiredOutput {
  readonly id: number;
  readonly enabled: boolean;
  readonly target: OutputTarget;
}
/** `push`: a publisher with the channel's push key. */
export type InputSource = { readonly protocol: 'push' } | FetchSource;

export interface DesiredChannel {
  readonly id: number;
  readonly name: string;
  readonly enabled: boolean;
  readonly pushKey: string;
  readonly playKey: string;
  readonly allow: { readonly rtmp: boolean; readonly srt: boolean };
  /** Whether a new publisher replaces one that is still sending. */
  readonly takeover: boolean;
  /** 0 for `push`. */
  readonly inputId: number;
  readonly input: InputSource;
  readonly backup?: DesiredBackup;
  readonly outputs: readonly DesiredOutput[];
}
/** For channels that accept no publishers. */
export const noPublishers: DesiredChannel['allow'] = { rtmp: false, srt: false };

export interface DesiredState {
  readonly generation: number;
  readonly settings: EngineSettings;
  readonly channels: readonly DesiredChannel[];
}
