/** The objects of the API. */
import type { NdiInput, NdiOutput, NdiRouter, NdiRuntime, NdiSalvo } from '../../contract/ndi-router.ts';
import { fullNdiName } from '../../contract/ndi-router-words.ts';
import type { NdiOutputState, NdiRuntimeState } from '../../ndi/port.ts';
import { inputOf, type Lock, type Matrix, wantedSource } from './matrix.ts';
import type { SalvoRow } from './store.ts';

export function showRuntime(state: NdiRuntimeState): NdiRuntime {
  if (state.state !== 'restarting') {
    return state.state === 'missing' ? { ...state, folders: [...state.folders] } : state;
  }
  const { inMs, ...rest } = state;
  return { ...rest, 'restarts-in': inMs };
}

/** With the base name of the router, these are enough to find the other machine. */
const maxClashes = 8;

interface RouterState {
  readonly runtime: NdiRuntimeState;
  readonly revision: number;
  /** Sources on the network that are not outputs of this router. */
  readonly foreign: Iterable<string>;
}

export function showRouter(matrix: Matrix, { runtime, revision, foreign }: RouterState): NdiRouter {
  const { lastSalvo } = matrix;
  const ownStart = fullNdiName(matrix.baseName, '').slice(0, -1);
  const clashes = [...foreign].filter((name) => name.toUpperCase().startsWith(ownStart)).slice(0, maxClashes);
  return {
    ...{ 'base-name': matrix.baseName, inputs: matrix.inputCount, outputs: matrix.columns },
    ...{ 'auto-fill': matrix.autoFill, revision, runtime: showRuntime(runtime) },
    ...(clashes.length > 0 && { 'name-clash': clashes }),
    ...(lastSalvo && {
      'last-salvo': {
        ...{ name: lastSalvo.name, by: lastSalvo.by, time: lastSalvo.time },
        outputs: lastSalvo.changes.map(({ out }) => out),
      },
    }),
  };
}

export function showInput(
  matrix: Matrix,
  id: number,
  { online, lastSeen, revision }: { online: boolean; lastSeen: number | undefined; revision: number },
): NdiInput {
  const { label, source, group, address, failover } = inputOf(matrix, id);
  return {
    ...{ id, revision, label, source, group, address, failover, online },
    ...(!online && lastSeen !== undefined && { 'last-seen': lastSeen }),
  };
}

const showLock = ({ by, userId, owner }: Lock) => ({ by, 'user-id': userId, owner });

export function showOutput(
  matrix: Matrix,
  id: number,
  {
    state,
    isRunning,
    isOnline,
    revision,
  }: {
    /** Undefined if the port does not know it. */
    readonly state: NdiOutputState | undefined;
    readonly isRunning: boolean;
    readonly isOnline: (source: string) => boolean;
    readonly revision: number;
  },
): NdiOutput | undefined {
  const output = matrix.outputs.get(id);
  if (output === undefined) return undefined;
  const source = wantedSource(matrix, output);
  const appliedSource = state?.applied ?? null;
  return {
    ...{ id, revision, name: output.name, label: output.label, group: output.group },
    ...{ 'failover-when-locked': output.failoverWhenLocked, 'full-name': fullNdiName(matrix.baseName, output.name) },
    ...{ in: output.slot, substitute: output.substitute, source, 'applied-source': appliedSource },
    applied: isRunning && state?.fault === undefined && appliedSource === source,
    waiting: isRunning && source !== null && !isOnline(source),
    ...(state?.fault && { fault: state.fault }),
    ...{ receivers: state?.receivers ?? 0, lock: output.lock && showLock(output.lock) },
    ...(output.previous !== undefined && { previous: output.previous }),
  };
}

export function showSalvo({ id, revision, name, policy, routes }: SalvoRow): NdiSalvo {
  return { id, revision, name, policy, routes: [...routes] };
}
