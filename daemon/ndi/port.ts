/**
 * The hub's interface to the process that routes NDI sources. The hub never loads the NDI runtime itself: a fault in
 * the runtime ends only this process, and receivers keep the picture of their current source in the meantime.
 */

export interface NdiSource {
  /** `MACHINE (source)`, unique in the list. */
  readonly name: string;
  /** Whether it is one of this hub's own outputs. */
  readonly isOwn: boolean;
}

export interface NdiPicture {
  /** Of the source. */
  readonly name: string;
  /** Grows with every picture. */
  readonly number: number;
  readonly jpeg: Uint8Array;
}

export interface NdiDesiredOutput {
  readonly id: number;
  /** The part in parentheses of the name on the network. */
  readonly name: string;
  /** Separated by commas; '' for the default of `groups.send`. */
  readonly group: string;
  /** `MACHINE (source)`, which may be offline or unknown; null if nothing is routed. */
  readonly source: string | null;
}

/** A change of anything but the outputs restarts the process, because the runtime reads it only once. */
export interface NdiDesired {
  /** Outputs appear as `BASE (name)`; '' for the name of the machine. */
  readonly baseName: string;
  /** Separated by commas; '' for the public group. */
  readonly groups: { readonly send: string; readonly receive: string };
  readonly discovery: {
    /** `host` or `host:port`, separated by commas. While there are any, outputs are announced to them only. */
    readonly servers: string;
    /** Addresses of machines to query besides those that are discovered, separated by commas. */
    readonly extraIps: string;
  };
  /** In the order in which they are created. */
  readonly outputs: readonly NdiDesiredOutput[];
}

export interface NdiRouteChange {
  readonly id: number;
  readonly source: string | null;
}

/**
 * `nameTaken`: the output does not exist because another sender of this machine has its name; the route applies once it
 * is renamed. `failed`: the runtime refused, or there is no such output.
 */
export type NdiRouteResult = 'applied' | 'nameTaken' | 'failed';

export interface NdiOutputState {
  readonly id: number;
  /** Full name on the network; '' while it does not exist there. */
  readonly fullName: string;
  /** The source that the runtime acknowledged; null if none is routed, or no process is running. */
  readonly applied: string | null;
  /** Receivers that are connected. */
  readonly receivers: number;
  readonly fault?: Exclude<NdiRouteResult, 'applied'>;
}

/**
 * Why a file cannot be used as the runtime. Found before it is loaded: `unreadable`, `notLibrary` (no ELF library),
 * `otherMachine` (for another processor), `truncated`. Found by loading it: `missingDependency` (`detail` is the
 * library that is not installed), `notLoadable` (`detail` is the loader's message), `tooOld` (`detail` is the function
 * it lacks), `processorRefused` (it does not support this processor), `crashed` (it ended or blocked the process).
 */
export type NdiRuntimeFault =
  | 'unreadable'
  | 'notLibrary'
  | 'otherMachine'
  | 'truncated'
  | 'missingDependency'
  | 'notLoadable'
  | 'tooOld'
  | 'processorRefused'
  | 'crashed';

/** What users can do about a state. */
export type NdiRemedy =
  /** Install the runtime, or upload it. */
  | 'installRuntime'
  /** Replace the file. */
  | 'replaceRuntime'
  /** Install the Debian package in `package`. */
  | 'installPackage'
  /** Start avahi-daemon; extra addresses and discovery servers work without it. */
  | 'startAvahi'
  /** Wait for the next attempt. */
  | 'wait'
  /** Retry by hand. */
  | 'retry';

export type NdiRuntimeState =
  /** Nothing is configured, so the hub has not searched for a runtime. */
  | { readonly state: 'off' }
  | { readonly state: 'missing'; readonly folders: readonly string[]; readonly remedy: 'installRuntime' }
  | {
      readonly state: 'unusable';
      readonly path: string;
      readonly fault: NdiRuntimeFault;
      readonly detail: string;
      readonly remedy: 'replaceRuntime' | 'installPackage';
      /** The Debian package that has the missing library. */
      readonly package?: string;
    }
  | { readonly state: 'starting'; readonly path: string }
  | {
      readonly state: 'running';
      readonly path: string;
      /** Such as `6.3.2.0`. */
      readonly version: string;
      /**
       * `noMdns`: avahi-daemon is not running, so nothing is found or announced by mDNS. `simulator`: the library is a
       * simulator, so nothing is found or announced on the network at all.
       */
      readonly limit?: 'noMdns' | 'simulator';
      readonly remedy?: 'startAvahi';
    }
  /** `reason`: how the last process ended, for the log and for experts. */
  | { readonly state: 'restarting'; readonly inMs: number; readonly reason: string; readonly remedy: 'wait' }
  /** Five processes ended within a minute: no attempt is made until `retry`. */
  | { readonly state: 'failed'; readonly reason: string; readonly remedy: 'retry' };

export interface NdiRouterPort {
  /** Takes the whole desired state, which each new process gets. Starts the process if it does not run. */
  configure(desired: NdiDesired): void;
  /**
   * Changes several outputs with one message. Resolves when the process has applied it, with one result per change.
   * Rejects with `HubError('noResponse')` if no process runs or it ends meanwhile; the routes then apply at its start.
   */
  route(
    changes: readonly NdiRouteChange[],
  ): Promise<readonly { readonly id: number; readonly result: NdiRouteResult }[]>;
  /** All discovered sources, one per name. Empty while no process runs. */
  sources(): readonly NdiSource[];
  /** The states of all configured outputs, in their order. */
  outputs(): readonly NdiOutputState[];
  runtime(): NdiRuntimeState;
  /**
   * Requests thumbnails of these sources for the next seconds: at most a few are received at a time, each in turn.
   * Returns the newest pictures that have a higher number than `after`; none while no runtime works.
   */
  pictures(names: readonly string[], after: number): readonly NdiPicture[];
  /** Searches for the runtime again and starts the process at once, in any state. */
  retry(): void;
  /** Calls the listener after sources, outputs or the runtime changed. Returns a function that unsubscribes it. */
  onChange(listener: () => void): () => void;
  /** Ends the process. Receivers keep the picture of their last source. */
  close(): Promise<void>;
}
