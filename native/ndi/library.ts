/**
 * Opens the exported functions of the NDI library in groups, so that an old runtime that lacks an optional group can
 * still route. Only child processes load the library, because a fault in it ends the process.
 */
import { CString, dlopen } from 'bun:ffi';

const [pointer, bool, u32, i32, none] = ['ptr', 'bool', 'u32', 'i32', 'void'] as const;

/** The functions that routing needs. */
const required = {
  NDIlib_initialize: { args: [], returns: bool },
  NDIlib_version: { args: [], returns: pointer },
  NDIlib_find_create_v2: { args: [pointer], returns: pointer },
  NDIlib_find_destroy: { args: [pointer], returns: none },
  /** Returns whether the sources changed since the last call; waits up to the given milliseconds for a change. */
  NDIlib_find_wait_for_sources: { args: [pointer, u32], returns: bool },
  /** The array belongs to the finder and is valid until the next call. */
  NDIlib_find_get_current_sources: { args: [pointer, pointer], returns: pointer },
  NDIlib_routing_create: { args: [pointer], returns: pointer },
  NDIlib_routing_destroy: { args: [pointer], returns: none },
  NDIlib_routing_change: { args: [pointer, pointer], returns: bool },
  NDIlib_routing_clear: { args: [pointer], returns: bool },
  /** Waits up to the given milliseconds for the first receiver. Called without them, it may wait for any time. */
  NDIlib_routing_get_no_connections: { args: [pointer, u32], returns: i32 },
  NDIlib_routing_get_source_name: { args: [pointer], returns: pointer },
} as const;

const optional = {
  send: {
    NDIlib_send_create: { args: [pointer], returns: pointer },
    NDIlib_send_destroy: { args: [pointer], returns: none },
    NDIlib_send_send_video_v2: { args: [pointer, pointer], returns: none },
    NDIlib_send_send_audio_v3: { args: [pointer, pointer], returns: none },
    /** As for routing, the second argument is the timeout. */
    NDIlib_send_get_no_connections: { args: [pointer, u32], returns: i32 },
    NDIlib_send_get_source_name: { args: [pointer], returns: pointer },
  },
  receive: {
    NDIlib_recv_create_v3: { args: [pointer], returns: pointer },
    NDIlib_recv_destroy: { args: [pointer], returns: none },
    /** Returns the type of the frame; waits up to the given milliseconds for one. */
    NDIlib_recv_capture_v3: { args: [pointer, pointer, pointer, pointer, u32], returns: i32 },
    NDIlib_recv_free_video_v2: { args: [pointer, pointer], returns: none },
    NDIlib_recv_free_audio_v3: { args: [pointer, pointer], returns: none },
    NDIlib_recv_free_metadata: { args: [pointer, pointer], returns: none },
  },
} as const;

export type LibraryGroup = keyof typeof optional;

/** Why a library cannot be used; see `NdiRuntimeFault` in `daemon/ndi/port.ts`. */
export interface LoadFault {
  readonly fault: 'missingDependency' | 'notLoadable' | 'tooOld' | 'processorRefused';
  readonly detail: string;
}

export type NdiCalls = ReturnType<typeof dlopen<typeof required>>['symbols'];
type GroupCalls<Group extends LibraryGroup> = ReturnType<typeof dlopen<(typeof optional)[Group]>>['symbols'];

export interface NdiLibrary {
  /** Such as `6.3.2.0`; '' if the library does not say. */
  readonly version: string;
  /** Whether the library says that it is a simulator, whose network exists only in its memory. */
  readonly isSimulator: boolean;
  readonly calls: NdiCalls;
  /** Absent if the runtime lacks one of its functions. */
  readonly send?: GroupCalls<'send'>;
  readonly receive?: GroupCalls<'receive'>;
}

/** `path` is absolute, and its file was checked (`daemon/ndi/find-runtime.ts`). The library is never unloaded. */
export function loadLibrary(path: string): NdiLibrary | LoadFault {
  let calls: NdiCalls;
  try {
    calls = dlopen(path, required).symbols;
  } catch (error) {
    return faultOf(path, error);
  }
  if (!calls.NDIlib_initialize()) return { fault: 'processorRefused', detail: process.arch };
  const described = calls.NDIlib_version();
  const version = described === null ? '' : `${new CString(described)}`.trim();
  const send = group(path, 'send');
  const receive = group(path, 'receive');
  return {
    version: /[\d.]*\d$/.exec(version)?.[0] ?? '',
    isSimulator: /\bsimulator\b/i.test(version),
    calls,
    ...(send && { send }),
    ...(receive && { receive }),
  };
}

function group<Group extends LibraryGroup>(path: string, name: Group): GroupCalls<Group> | undefined {
  try {
    return dlopen(path, optional[name]).symbols;
  } catch {
    return undefined;
  }
}

/** Finds out whether the library could not be loaded at all, or lacks one of the functions. */
function faultOf(path: string, error: unknown): LoadFault {
  for (const [name, signature] of Object.entries(required)) {
    try {
      dlopen(path, { [name]: signature });
    } catch (cause) {
      const detail = cause instanceof Error ? cause.message : String(cause);
      const dependency = /(\S+): cannot open shared object file/.exec(detail)?.[1];
      if (dependency && dependency !== path) return { fault: 'missingDependency', detail: dependency };
      return /symbol/i.test(detail) ? { fault: 'tooOld', detail: name } : { fault: 'notLoadable', detail };
    }
  }
  return { fault: 'notLoadable', detail: String(error) };
}
