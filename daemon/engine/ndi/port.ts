/**
 * The engine's interface to an NDI runtime, and what it reports without one. A runtime is controlled from a separate
 * process, since a crash of the library ends the process that loaded it. Encoding and decoding take place there, so the
 * engine deals with ordinary transport streams.
 */

import type { DesiredChannel } from '../../media/protocol/desired.ts';
import type { EnginePart } from '../../media/protocol/reported.ts';
import { type FileFault, type FoundRuntime, findRuntime, type SearchOptions } from '../../ndi/find-runtime.ts';
import type { NdiStream } from '../../sources/stream-address.ts';
import { termination } from '../connection/terminations.ts';

export interface NdiReceiving {
  readonly source: NdiStream;
  /** Ends the reception. */
  readonly signal: AbortSignal;
  readonly onConnected: () => void;
  /** A transport stream. */
  readonly onBytes: (bytes: Uint8Array) => void;
}

export interface NdiSending {
  readonly target: NdiStream;
  /** Never called after `close`. */
  readonly onConnected: () => void;
  /** The sender cannot continue. Called at most once, and never after `close`. */
  readonly onFailed: (error: unknown) => void;
}

export interface NdiSender {
  /** Writes a transport stream. Returns false if the runtime is slow and these bytes are lost. */
  write(bytes: Uint8Array): boolean;
  close(): void;
}

export interface NdiRuntime {
  readonly version: string;
  /** Resolves when the reception was ended by the signal; otherwise rejects when it is over. */
  receive(receiving: NdiReceiving): Promise<void>;
  send(sending: NdiSending): NdiSender;
}

interface NdiPortOptions extends SearchOptions {
  /** Loads the library; this hub does not contain an implementation yet. */
  readonly drive?: (path: string) => NdiRuntime;
  /** Called with undefined when NDI is no longer used. */
  readonly onPart: (part: EnginePart | undefined) => void;
}

export type NdiPort = ReturnType<typeof createNdiPort>;

export function createNdiPort({ drive, onPart, ...search }: NdiPortOptions) {
  let isDesired = false;
  let look: FoundRuntime = { outcome: 'missing', folders: [] };
  let runtime: NdiRuntime | undefined;

  function find(): void {
    if (runtime) return;
    look = findRuntime(search);
    if (look.outcome === 'found' && drive) runtime = drive(look.path);
    onPart(runtime ? { name: 'ndi', ok: true, version: runtime.version } : absence(look));
  }

  return {
    /** Undefined if there is none. */
    runtime: () => runtime,
    /** How an attempt without a runtime ends. */
    missing: () => termination('creationFailed', 'partMissing', `NDI: ${lookText(look)}`, { permanent: true }),
    /** Whether any channel uses NDI. If none does, its absence is not reported. */
    want(next: boolean): void {
      if (next === isDesired) return;
      isDesired = next;
      if (next) find();
      else onPart(undefined);
    },
    /** Looks again, because it may have been installed. */
    retry(): void {
      if (isDesired) find();
    },
  };
}

/** Returns one line for the log and the API. */
function lookText(look: FoundRuntime): string {
  if (look.outcome === 'found') return `${look.path} is there, but channels can't use it yet`;
  if (look.outcome === 'unusable') return `${look.path} can't be used: ${faultTexts[look.fault]}`;
  return `libndi.so.6 is in none of ${look.folders.join(', ')}; install the NDI runtime, or set NDI_RUNTIME_DIR_V6 to its folder`;
}

const faultTexts: Readonly<Record<FileFault, string>> = {
  unreadable: 'it is not readable',
  notLibrary: 'it is not a library',
  otherMachine: 'it is for another processor architecture',
  truncated: 'it is truncated; copy it again',
};

const reasons = { missing: 'missing', unusable: 'failed', found: 'unsupported' } as const;

function absence(look: FoundRuntime): EnginePart {
  return { name: 'ndi', ok: false, reason: reasons[look.outcome], message: `NDI: ${lookText(look)}` };
}

/** Whether any enabled part of the channel receives or offers an NDI source. */
export function wantsNdi({ enabled, input, backup, outputs }: DesiredChannel): boolean {
  if (!enabled) return false;
  const isOut = outputs.some((output) => output.enabled && output.target.protocol === 'ndi');
  return isOut || input.protocol === 'ndi' || backup?.input.protocol === 'ndi';
}
