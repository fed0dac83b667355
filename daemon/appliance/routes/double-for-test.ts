/** The routes of a machine in memory. Without a connection, an interface keeps its routes but does not use them. */
import { setTimeout as later } from 'node:timers';
import { MissingPart } from '../missing-part.ts';
import type { RouteChange, RouteInterface, RoutePlace, RoutesPort, StaticRoute } from './port.ts';

interface Change {
  readonly checkpoint: number;
  readonly routes: readonly StaticRoute[];
  readonly before: readonly StaticRoute[];
}

export type RoutesDouble = ReturnType<typeof createRoutesDouble>;

const usual: Readonly<Partial<Record<RoutePlace, string>>> = { eth1: '192.168.50.20/24', eth2: '10.77.0.20/24' };

export function createRoutesDouble() {
  let addresses = usual;
  /** What would be there after a restart of the machine. */
  let disk: readonly StaticRoute[] = [];
  let memory: readonly StaticRoute[] = [];
  let checkpoint: { readonly id: number; readonly timer: NodeJS.Timeout } | undefined;
  let checkpoints = 0;
  let isRunning = true;

  const answer = (): void => {
    if (!isRunning) throw new MissingPart('networkManager', 'absent', 'it does not run');
  };
  const endCheckpoint = (): void => {
    clearTimeout(checkpoint?.timer);
    checkpoint = undefined;
  };
  const places = (): RouteInterface[] =>
    (['eth1', 'eth2', 'wifi'] as const)
      .filter((id) => id !== 'wifi' || addresses.wifi !== undefined)
      .map((id) => ({ id, addresses: [addresses[id]].filter((one) => one !== undefined) }));

  const port: RoutesPort = {
    async read() {
      answer();
      const routes = memory.map((route) => ({ ...route, isActive: addresses[route.interface] !== undefined }));
      return { interfaces: places(), routes };
    },
    async write({ routes }: RouteChange) {
      answer();
      memory = routes;
      disk = routes;
    },
    async prepare({ routes }, seconds): Promise<Change> {
      answer();
      checkpoints += 1;
      const before = memory;
      const timer = later(() => {
        memory = before;
        checkpoint = undefined;
      }, seconds * 1000);
      timer.unref();
      checkpoint = { id: checkpoints, timer };
      return { checkpoint: checkpoints, routes, before };
    },
    async apply(data) {
      answer();
      memory = (data as Change).routes;
    },
    async seal(data) {
      answer();
      if (checkpoint?.id !== (data as Change).checkpoint) return false;
      endCheckpoint();
      return true;
    },
    async save(data) {
      answer();
      memory = (data as Change).routes;
      disk = memory;
    },
    async revert(data) {
      answer();
      endCheckpoint();
      memory = (data as Change).before;
      disk = memory;
    },
  };
  return {
    port,
    /** Sets the addresses of the interfaces; those that are not named have no connection. */
    connect(next: typeof usual): void {
      addresses = next;
    },
    /** All routes of the interface, because a change of the ports replaces them. */
    current: () => memory,
    replace(next: readonly StaticRoute[], how: { readonly isStored: boolean }): void {
      memory = next;
      if (how.isStored) disk = next;
    },
    /** Forgets all routes. */
    reset(): void {
      endCheckpoint();
      memory = [];
      disk = [];
    },
    /** What is there after a restart of the machine. */
    stored: () => disk,
    /** The machine restarts: what is not stored is lost. */
    restart(): void {
      endCheckpoint();
      memory = disk;
    },
    /** Ends NetworkManager, or starts it again. */
    run(isOn: boolean): void {
      isRunning = isOn;
    },
  };
}
