/**
 * Opens the NDI library by its exported functions, one group at a time: an old runtime still routes when a group that
 * it lacks is optional. Only child processes do this, because a fault in the library ends the process that loaded it.
 */
import { CString, dlopen } from 'bun:ffi';

const [pointer, bool, u32, i32, none] = ['ptr', 'bool', 'u32', 'i32', 'void'] as const;

/** Without them, nothing can be routed. */
const required = {
  NDIlib_initialize: { args: [], returns: bool },
  NDIlib_version: { args: [], returns: pointer },
  NDIlib_find_create_v2: { args: [pointer], returns: pointer },
  NDIlib_find_destroy: { args: [pointer], returns: none },
  /** Whether the sources changed since its last call; waits for that as many milliseconds. */
  NDIlib_find_wait_for_sources: { args: [pointer, u32], returns: bool },
  /** The array belongs to the finder, until its next call. */
  NDIlib_find_get_current_sources: { args: [pointer, pointer], returns: pointer },
  NDIlib_routing_create: { args: [pointer], returns: pointer },
  NDIlib_routing_destroy: { args: [pointer], returns: none },
  NDIlib_routing_change: { args: [pointer, pointer], returns: bool },
  NDIlib_routing_clear: { args: [pointer], returns: bool },
  /** Without the timeout as its second argument, it blocks for an arbitrary time. */
  NDIlib_routing_get_no_connections: { args: [pointer, u32], returns: i32 },
  NDIlib_routing_get_source_name: { args: [pointer], returns: pointer },
} as const;

const optional = {
  send: {
    NDIlib_send_create: { args: [pointer], returns: pointer },
    NDIlib_send_destroy: { args: [pointer], returns: none },
    NDIlib_send_send_video_v2: { args: [pointer, pointer], returns: none },
  },
  receive: {
    NDIlib_recv_create_v3: { args: [pointer], returns: pointer },
    NDIlib_recv_destroy: { args: [pointer], returns: none },
    NDIlib_recv_capture_v2: { args: [pointer, pointer, pointer, pointer, u32], returns: i32 },
    NDIlib_recv_free_video_v2: { args: [pointer, pointer], returns: none },
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
  const version = calls.NDIlib_version();
  const send = group(path, 'send');
  const receive = group(path, 'receive');
  return {
    version: version === null ? '' : (/[\d.]*\d$/.exec(`${new CString(version)}`.trim())?.[0] ?? ''),
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

/** Loading failed as a whole, or one of the functions is missing. */
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
