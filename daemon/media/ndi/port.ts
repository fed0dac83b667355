/**
 * What the engine wants of an NDI runtime, and what it says while there is none. A runtime is driven from a process of
 * its own, since a fault in the library ends the process that loaded it; coding happens there, so that what the engine
 * sees is a transport stream like any other.
 */
import type { NdiAddress } from '../addresses.ts';
import type { EnginePart } from '../status.ts';
import type { WantedChannel } from '../wanted.ts';
import { type LookOptions, lookForNdi, lookText, type NdiLook } from './look.ts';

/** A source on the network. */
export interface NdiFound {
  /** `MACHINE (source)`. */
  readonly name: string;
  readonly url: string;
}

export interface NdiFinder {
  readonly sources: readonly NdiFound[];
  close(): void;
}

export interface NdiReceiving {
  readonly source: NdiAddress;
  /** Ends the reception. */
  readonly signal: AbortSignal;
  readonly onConnected: () => void;
  /** A transport stream. */
  readonly onBytes: (bytes: Uint8Array) => void;
}

export interface NdiSending {
  readonly target: NdiAddress;
  readonly onConnected: () => void;
  /** It can't go on; called once at most, never after `close`. */
  readonly onFailed: (error: unknown) => void;
}

export interface NdiSender {
  /** A transport stream. False: it is slow, and these bytes are lost. */
  write(bytes: Uint8Array): boolean;
  close(): void;
}

export interface NdiRuntime {
  readonly version: string;
  find(groups: string, extraIps: string, onChange: () => void): NdiFinder;
  /** Settles when the reception is over; rejects unless it was ended. */
  receive(receiving: NdiReceiving): Promise<void>;
  send(sending: NdiSending): NdiSender;
}

export interface NdiPort {
  /** Undefined while there is none. */
  runtime(): NdiRuntime | undefined;
  /** Why there is none, in one line. */
  whyNot(): string;
  /** Whether any channel asks for NDI; whoever doesn't need it hears nothing of its absence. */
  want(isWanted: boolean): void;
  /** Looks again: somebody may have installed it. */
  retry(): void;
}

export interface NdiPortOptions extends LookOptions {
  /** What drives the library; none is part of this hub yet. */
  readonly drive?: (path: string) => NdiRuntime;
  /** Undefined: nobody asks for it any longer. */
  readonly onPart: (part: EnginePart | undefined) => void;
}

export function createNdiPort({ drive, onPart, ...lookOptions }: NdiPortOptions): NdiPort {
  let isWanted = false;
  let look: NdiLook = { outcome: 'missing', folders: [] };
  let runtime: NdiRuntime | undefined;

  function find(): void {
    if (runtime) return;
    look = lookForNdi(lookOptions);
    if (look.outcome === 'found' && drive) runtime = drive(look.path);
    onPart(runtime ? { name: 'ndi', ok: true, version: runtime.version } : absence(look));
  }

  return {
    runtime: () => runtime,
    whyNot: () => lookText(look),
    want(next) {
      if (next === isWanted) return;
      isWanted = next;
      if (next) find();
      else onPart(undefined);
    },
    retry() {
      if (isWanted) find();
    },
  };
}

const reasons = { missing: 'missing', unusable: 'failed', found: 'unsupported' } as const;

function absence(look: NdiLook): EnginePart {
  return { name: 'ndi', ok: false, reason: reasons[look.outcome], message: `NDI: ${lookText(look)}` };
}

/** Whether anything of it that is on takes or offers an NDI source. */
export function wantsNdi({ enabled, input, backup, outputs }: WantedChannel): boolean {
  if (!enabled) return false;
  const isOut = outputs.some((output) => output.enabled && output.target.protocol === 'ndi');
  return isOut || input.protocol === 'ndi' || backup?.input.protocol === 'ndi';
}
