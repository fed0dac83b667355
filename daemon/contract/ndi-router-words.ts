/** Words and rules of the NDI router; for forms, too. Free of schemas. */

/**
 * State of the NDI runtime, which is not part of the hub. `off`: nothing needs it yet. `missing`: no library was found.
 * `unusable`: the library that was found cannot be used, see `ndiFaults`. `restarting`: the process that uses it ended
 * and starts again. `failed`: the process ended too often.
 */
export const ndiRuntimeStates = ['off', 'missing', 'unusable', 'starting', 'running', 'restarting', 'failed'] as const;
export type NdiRuntimeWord = (typeof ndiRuntimeStates)[number];

/**
 * Why a file cannot be used as the runtime. Found before it is loaded: `unreadable`, `notLibrary`, `otherMachine` (for
 * another processor), `truncated`. Found by loading it: `missingDependency` (`detail` is the library that is not
 * installed), `notLoadable` (`detail` is the loader's message), `tooOld` (`detail` is the function that it lacks),
 * `processorRefused` (it does not support this processor), `crashed` (it ended or blocked the process).
 */
export const ndiFaults = [
  'unreadable',
  'notLibrary',
  'otherMachine',
  'truncated',
  'missingDependency',
  'notLoadable',
  'tooOld',
  'processorRefused',
  'crashed',
] as const;

/**
 * What users can do: install the runtime, replace the file, install the Debian package in `package`, start avahi-daemon,
 * wait for the next attempt, or retry.
 */
export const ndiRemedies = [
  'installRuntime',
  'replaceRuntime',
  'installPackage',
  'startAvahi',
  'wait',
  'retry',
] as const;

/** What a salvo does if one of its outputs is locked or refused: it routes the others, or none. */
export const salvoPolicies = ['skipLocked', 'allOrNothing'] as const;
export type SalvoPolicy = (typeof salvoPolicies)[number];

/** Of one output in a call that routes. `skipped`: it is locked, or another output was refused and all depend on it. */
export const routeOutcomes = ['done', 'skipped', 'refused'] as const;
export type RouteOutcome = (typeof routeOutcomes)[number];

/**
 * Why an output was not routed. `locked`: a user or panel, possibly the caller, has locked it. `noOutput`, `noInput`:
 * there is no such number. `emptyInput`: the input has no source. `itself`: the source is this output. `loop`: the
 * source is an output of the router that gets its picture from this output. `offline`: the source is not online, which
 * the caller requires (2001). `others`: another output of an all-or-nothing salvo was refused. `nothingToUndo`: the
 * route has not changed since the last undo.
 */
export const routeReasons = [
  'locked',
  'noOutput',
  'noInput',
  'emptyInput',
  'itself',
  'loop',
  'offline',
  'others',
  'nothingToUndo',
] as const;
export type RouteReason = (typeof routeReasons)[number];

/** Why a desired route is not in effect although the runtime runs. `nameTaken`: another program has the output's name. */
export const outputFaults = ['nameTaken', 'failed'] as const;
export type OutputFault = (typeof outputFaults)[number];

/** State of the server for hardware panels. `failed`: it cannot listen, and the hub tries again after a while. */
export const panelServerStates = ['off', 'listening', 'failed'] as const;
export type PanelServerState = (typeof panelServerStates)[number];

/** Why it cannot listen. `portTaken`: another program uses the port. `noAddress`: the machine lacks the address. */
export const panelServerFaults = ['portTaken', 'noAddress', 'other'] as const;
export type PanelServerFault = (typeof panelServerFaults)[number];

/** State of the hub's own NDI discovery server. `waiting`: it does not run, and the hub tries again after a while. */
export const discoveryServerStates = ['disabled', 'starting', 'started', 'waiting'] as const;
export type DiscoveryServerWord = (typeof discoveryServerStates)[number];

/** Why it is waiting. `notInstalled`: the hub has not found the program. `ended`: the program ended or did not start. */
export const discoveryServerFaults = ['notInstalled', 'ended'] as const;

/** Who locked an output: a user, or a hardware panel, which is identified by its address. */
export const lockKinds = ['user', 'panel'] as const;
export type LockKind = (typeof lockKinds)[number];

/** As it appears on the network. */
export function fullNdiName(baseName: string, name: string): string {
  return `${baseName.toUpperCase()} (${name})`;
}

/** The name of the machine in `MACHINE (source)`; '' if it has another form. */
export function ndiMachine(source: string): string {
  return /^(.*\S)\s*\(.*\)$/s.exec(source)?.[1] ?? '';
}
