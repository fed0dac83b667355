/**
 * The engine's interface to an NDI runtime, and what it reports without one. Only separate processes load the library,
 * since a crash of the library ends its process. FFmpeg encodes and decodes, so the engine deals with ordinary
 * transport streams.
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
  /** Resolves when the reception was ended by the signal; otherwise rejects when it is over. */
  receive(receiving: NdiReceiving): Promise<void>;
  send(sending: NdiSending): NdiSender;
}

/** Whether a process could load the library. */
export type NdiLoaded = { readonly version: string } | { readonly fault: string };

interface NdiPortOptions extends SearchOptions {
  /** `onLoaded` is called after each start of a process. */
  readonly open: (path: string, onLoaded: (loaded: NdiLoaded) => void) => NdiRuntime;
  /** Called with undefined when NDI is no longer used. */
  readonly onPart: (part: EnginePart | undefined) => void;
}

export type NdiPort = ReturnType<typeof createNdiPort>;

export function createNdiPort({ open, onPart, ...search }: NdiPortOptions) {
  let isDesired = false;
  let look: FoundRuntime = { outcome: 'missing', folders: [] };
  let driven: { readonly path: string; readonly runtime: NdiRuntime } | undefined;
  /** Whether the newest process could not load it: another runtime may have been installed since. */
  let hasFailed = false;

  function find(): void {
    if (driven && !hasFailed) return;
    const found = findRuntime(search);
    look = found;
    if (found.outcome !== 'found') onPart(absence(found));
    else if (found.path !== driven?.path) drive(found.path);
  }
  function drive(path: string): void {
    hasFailed = false;
    const onLoaded = (loaded: NdiLoaded) => {
      hasFailed = 'fault' in loaded;
      if (isDesired) onPart(partOf(path, loaded));
    };
    driven = { path, runtime: open(path, onLoaded) };
    // Whether it can be used is known when the first process has loaded it.
    onPart({ name: 'ndi', ok: true });
  }

  return {
    /** Undefined if there is none. */
    runtime: () => driven?.runtime,
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
  if (look.outcome === 'found') return `${look.path} is in use`;
  if (look.outcome === 'unusable') return `${look.path} can't be used: ${faultTexts[look.fault]}`;
  return `libndi.so.6 is in none of ${look.folders.join(', ')}; install the NDI runtime, or set NDI_RUNTIME_DIR_V6 to its folder`;
}

const faultTexts: Readonly<Record<FileFault, string>> = {
  unreadable: 'it is not readable',
  notLibrary: 'it is not a library',
  otherMachine: 'it is for another processor architecture',
  truncated: 'it is truncated; copy it again',
};

function absence(look: Exclude<FoundRuntime, { outcome: 'found' }>): EnginePart {
  const reason = look.outcome === 'missing' ? 'missing' : 'failed';
  return { name: 'ndi', ok: false, reason, message: `NDI: ${lookText(look)}` };
}

function partOf(path: string, loaded: NdiLoaded): EnginePart {
  if ('version' in loaded) return { name: 'ndi', ok: true, version: loaded.version };
  return { name: 'ndi', ok: false, reason: 'failed', message: `NDI: ${path} can't be used: ${loaded.fault}` };
}

/** Whether any enabled part of the channel receives or offers an NDI source. */
export function wantsNdi({ enabled, input, backup, outputs }: DesiredChannel): boolean {
  if (!enabled) return false;
  const isOut = outputs.some((output) => output.enabled && output.target.protocol === 'ndi');
  return isOut || input.protocol === 'ndi' || backup?.input.protocol === 'ndi';
}
