/** The router port in memory, with the network that it routes: it behaves as the process does with a real runtime. */
import { createEmitter } from '../lib/emitter.ts';
import { HubError } from '../lib/hub-error.ts';
import type {
  NdiDesired,
  NdiDesiredOutput,
  NdiOutputState,
  NdiRouteChange,
  NdiRouteResult,
  NdiRouterPort,
  NdiRuntimeState,
} from './port.ts';

interface LiveOutput {
  readonly name: string;
  readonly group: string;
  readonly fullName: string;
  source: string | null;
}

const running: NdiRuntimeState = { state: 'running', path: '/double/libndi.so.6', version: '6.3.2.0' };

/** 16 by 9 pixels. */
const grayJpeg = Buffer.from(
  '/9j/4AAQSkZJRgABAgAAAQABAAD/2wBDAAg+Pkk+SVVVVVVVVWRdZGhoaGRkZGRoaGhwcHCDg4NwcHBoaHBwfHyDg4+Tj4eHg4eT' +
    'k5ubm7q6srLZ2eD/////xABKAAEAAAAAAAAAAAAAAAAAAAAAAQEAAAAAAAAAAAAAAAAAAAAAEAEAAAAAAAAAAAAAAAAAAAAAEQEA' +
    'AAAAAAAAAAAAAAAAAAAA/8AAEQgACAAQAwESAAISAAMSAP/aAAwDAQACEQMRAD8AAAAA/9k=',
  'base64',
);

export type RouterDouble = ReturnType<typeof createRouterDouble>;

export function createRouterDouble(sources: readonly string[] = []) {
  const changed = createEmitter();
  const online = new Set(sources);
  const taken = new Set<string>();
  const receivers = new Map<number, number>();
  const applied: (readonly NdiRouteChange[])[] = [];
  let desired: NdiDesired | undefined;
  let runtime: NdiRuntimeState = running;
  let live = new Map<number, LiveOutput>();

  const fullNameOf = (name: string): string => `${(desired?.baseName || 'HUB').toUpperCase()} (${name})`;
  const desiredOutputs = (): readonly NdiDesiredOutput[] => desired?.outputs ?? [];

  /** Creates and routes each output in turn, keeping those that exist already. */
  function reconcile(): void {
    const before = live;
    live = new Map();
    if (!desired || runtime.state !== 'running') return;
    for (const { id, name, group, source } of desired.outputs) {
      const fullName = fullNameOf(name);
      const isTaken = taken.has(fullName) || [...live.values()].some((other) => other.fullName === fullName);
      if (isTaken) continue;
      const old = before.get(id);
      const isKept = old?.fullName === fullName && old.group === group;
      if (!isKept) receivers.delete(id);
      live.set(id, { name, group, fullName, source });
    }
  }

  function apply({ id, source }: NdiRouteChange): NdiRouteResult {
    const output = live.get(id);
    if (!output) return desiredOutputs().some((each) => each.id === id) ? 'nameTaken' : 'failed';
    output.source = source;
    return 'applied';
  }

  function stateOf({ id }: NdiDesiredOutput): NdiOutputState {
    const output = live.get(id);
    if (output) {
      return { id, fullName: output.fullName, applied: output.source, receivers: receivers.get(id) ?? 0 };
    }
    const none = { id, fullName: '', applied: null, receivers: 0 };
    return runtime.state === 'running' ? { ...none, fault: 'nameTaken' } : none;
  }

  const port: NdiRouterPort = {
    configure(next) {
      desired = next;
      reconcile();
      changed.emit();
    },
    async route(changes) {
      const sourceOf = new Map(changes.map(({ id, source }) => [id, source]));
      if (desired) {
        const outputs = desired.outputs.map((output) => ({
          ...output,
          source: sourceOf.has(output.id) ? (sourceOf.get(output.id) ?? null) : output.source,
        }));
        desired = { ...desired, outputs };
      }
      await Promise.resolve();
      if (runtime.state !== 'running') throw new HubError('noResponse', 'the NDI router is not running');
      applied.push(changes);
      const results = changes.map((change) => ({ id: change.id, result: apply(change) }));
      changed.emit();
      return results;
    },
    sources() {
      if (runtime.state !== 'running') return [];
      const own = [...live.values()].map(({ fullName }) => fullName);
      const found = new Map([...online].map((name) => [name, { name, isOwn: false }]));
      for (const name of own) found.set(name, { name, isOwn: true });
      return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    outputs: () => desiredOutputs().map(stateOf),
    runtime: () => (desired ? runtime : { state: 'off' }),
    pictures(names, after) {
      const shown = runtime.state === 'running' ? names.filter((name) => online.has(name)) : [];
      return after === 0 ? shown.map((name) => ({ name, number: 1, jpeg: grayJpeg })) : [];
    },
    retry() {
      setRuntime(running);
    },
    onChange(listener) {
      const end = changed.on(listener);
      return () => void end();
    },
    async close() {
      live = new Map();
      desired = undefined;
    },
  };

  /** Any state but `running` is that of a process that ended. */
  function setRuntime(next: NdiRuntimeState): void {
    runtime = next;
    reconcile();
    changed.emit();
  }

  return {
    port,
    addSource(name: string): void {
      online.add(name);
      changed.emit();
    },
    removeSource(name: string): void {
      online.delete(name);
      changed.emit();
    },
    /** Another sender of this machine has this full name; false releases it. */
    takeName(fullName: string, isTaken = true): void {
      if (isTaken) taken.add(fullName);
      else taken.delete(fullName);
      reconcile();
      changed.emit();
    },
    setReceivers(id: number, count: number): void {
      receivers.set(id, count);
      changed.emit();
    },
    setRuntime,
    /** The process dies; the next one starts with `retry` or `revive`. */
    die(): void {
      setRuntime({ state: 'restarting', inMs: 250, reason: 'ended by SIGKILL', remedy: 'wait' });
    },
    revive(): void {
      setRuntime(running);
    },
    /** The source whose picture a receiver of this output gets, through chains of own outputs; null if there is none. */
    pictureOf(id: number): string | null {
      const visited = new Set<number>();
      for (let at = live.get(id), next = id; at; ) {
        if (visited.has(next) || at.source === null) return null;
        visited.add(next);
        const { source } = at;
        const own = [...live].find(([, { fullName }]) => fullName === source);
        if (!own) return online.has(source) ? source : null;
        [next, at] = own;
      }
      return null;
    },
    /** Each message of `route` that was applied. */
    applied: applied as readonly (readonly NdiRouteChange[])[],
  };
}
