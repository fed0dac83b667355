/** Ethernet ports in memory, with the traits of NetworkManager that changes of them rely on. */
import { setTimeout as later } from 'node:timers';
import type { EthernetPort } from '../../contract/network-fields.ts';
import type { ChangeFailure } from '../../contract/network-states.ts';
import { createEmitter } from '../../lib/emitter.ts';
import { ChangeFailed } from '../confirmed-change/kind.ts';
import { MissingPart } from '../missing-part.ts';
import { createRoutesDouble, type RoutesDouble } from '../routes/double-for-test.ts';
import type { StaticRoute } from '../routes/port.ts';
import type { NetDevice, NetPort, PortChange, PortConfig } from './port.ts';

interface Profiles {
  readonly [port: string]: PortConfig;
}

interface Change {
  readonly checkpoint: number;
  readonly asked: readonly PortChange[];
  readonly before: Profiles;
  readonly routesBefore: readonly StaticRoute[];
}

export const doubleHardware = { eth1: 'mac:02:00:00:00:00:01', eth2: 'mac:02:00:00:00:00:02' } as const;
const leased = { eth1: '192.0.2.77/24', eth2: '198.51.100.77/24' } as const;

export type NetDouble = ReturnType<typeof createNetDouble>;

/** `routes`: those of the same machine, which changes of ports may replace. */
export function createNetDouble(routes: RoutesDouble = createRoutesDouble()) {
  const news = createEmitter();
  /** What would be there after a restart of the machine. */
  let disk: Profiles = { eth1: fixed('192.0.2.10', '192.0.2.1'), eth2: { fixed: null, dns: [] } };
  let memory: Profiles = disk;
  let checkpoint: { readonly change: Change; readonly timer: NodeJS.Timeout } | undefined;
  let checkpoints = 0;
  let isRunning = true;
  const names: Record<EthernetPort, string> = { eth1: 'eth0', eth2: 'eth1' };
  const plugged = new Set<EthernetPort>(['eth1', 'eth2']);
  /** A smaller machine has one port. */
  let ports: readonly EthernetPort[] = ['eth1', 'eth2'];
  /** Ports on whose network no DHCP server answers. */
  const withoutDhcp = new Set<EthernetPort>();
  /** Addresses of other hosts. */
  const taken = new Set<string>();

  const set = (next: Profiles): void => {
    memory = next;
    news.emit();
  };
  const answer = (): void => {
    if (!isRunning) throw new MissingPart('networkManager', 'absent', 'it does not run');
  };
  const rollBack = (): void => {
    if (!checkpoint) return;
    clearTimeout(checkpoint.timer);
    const { before, routesBefore } = checkpoint.change;
    checkpoint = undefined;
    routes.replace(routesBefore, { isStored: false });
    set(before);
  };
  const failureOf = ({ port, config }: PortChange): ChangeFailure | undefined => {
    if (!plugged.has(port)) return undefined;
    if (config.fixed === null) return withoutDhcp.has(port) ? 'noDhcp' : undefined;
    return taken.has(config.fixed.address) ? 'addressInUse' : undefined;
  };
  const routesAfter = (asked: readonly PortChange[]): StaticRoute[] =>
    asked.reduce<StaticRoute[]>(
      (all, { port, routes: next }) =>
        next === undefined
          ? all
          : [...all.filter((one) => one.interface !== port), ...next.map((one) => ({ ...one, interface: port }))],
      [...routes.current()],
    );
  const device = (port: EthernetPort): NetDevice => {
    const config = memory[port] ?? null;
    const isUp = plugged.has(port) && config !== null && !(config.fixed === null && withoutDhcp.has(port));
    return {
      ...{ hardware: doubleHardware[port], name: names[port], mac: doubleHardware[port].slice(4), driver: 'double' },
      state: plugged.has(port) ? (isUp ? 'connected' : 'failed') : 'noCable',
      ...{ hasLink: plugged.has(port), speed: plugged.has(port) ? 1000 : 0 },
      addresses: isUp ? [config.fixed ? `${config.fixed.address}/${config.fixed.prefix}` : leased[port]] : [],
      ...{ gateway: (isUp && config.fixed?.gateway) || '', dns: isUp ? config.dns : [], config },
    };
  };

  const port: NetPort = {
    async read() {
      answer();
      return { devices: ports.map(device), configs: { ...memory } };
    },
    watch: (listener) => {
      const stop = news.on(listener);
      return () => void stop();
    },
    guard: () => () => {},
    async reset() {
      answer();
      rollBack();
      disk = { eth1: { fixed: null, dns: [] }, eth2: { fixed: null, dns: [] } };
      set(disk);
    },
    traffic: async () => new Map(Object.values(names).map((name) => [name, { rxBytes: 1000, txBytes: 500 }])),
    async prepare(asked, seconds): Promise<Change> {
      answer();
      if (checkpoint) throw new Error('a checkpoint exists');
      checkpoints += 1;
      const change = { checkpoint: checkpoints, asked, before: memory, routesBefore: routes.current() };
      checkpoint = { change, timer: later(rollBack, seconds * 1000) };
      checkpoint.timer.unref();
      return change;
    },
    async apply(data) {
      answer();
      const { asked } = data as Change;
      routes.replace(routesAfter(asked), { isStored: false });
      set({ ...memory, ...Object.fromEntries(asked.map((one) => [one.port, one.config])) });
      for (const one of asked) {
        const failure = failureOf(one);
        if (failure) throw new ChangeFailed(failure, failure);
      }
    },
    async seal(data) {
      answer();
      if (checkpoint?.change.checkpoint !== (data as Change).checkpoint) return false;
      clearTimeout(checkpoint.timer);
      checkpoint = undefined;
      return true;
    },
    async save(data) {
      answer();
      const { asked } = data as Change;
      const next = Object.fromEntries(asked.map((one) => [one.port, one.config]));
      disk = { ...disk, ...next };
      routes.replace(routesAfter(asked), { isStored: true });
      set({ ...memory, ...next });
    },
    async revert(data) {
      answer();
      const { checkpoint: id, before, routesBefore } = data as Change;
      if (checkpoint?.change.checkpoint === id) rollBack();
      disk = before;
      routes.replace(routesBefore, { isStored: true });
      set(before);
    },
  };

  return {
    port,
    /** What is stored, as after a restart of the machine. */
    stored: (of: EthernetPort) => disk[of],
    setPorts(next: readonly EthernetPort[]): void {
      ports = next;
      news.emit();
    },
    setCable(of: EthernetPort, isIn: boolean): void {
      if (isIn) plugged.add(of);
      else plugged.delete(of);
      news.emit();
    },
    setDhcp(of: EthernetPort, answers: boolean): void {
      if (answers) withoutDhcp.delete(of);
      else withoutDhcp.add(of);
    },
    take: (address: string): void => void taken.add(address),
    /** The kernel names the interfaces the other way round. */
    swapNames(): void {
      [names.eth1, names.eth2] = [names.eth2, names.eth1];
      news.emit();
    },
    /** Ends NetworkManager: its checkpoint is lost, and what is in memory stays. */
    stop(): void {
      isRunning = false;
      clearTimeout(checkpoint?.timer);
      checkpoint = undefined;
      news.emit();
    },
    start(): void {
      isRunning = true;
      news.emit();
    },
    /** The machine restarts: what is not stored is lost. */
    cutPower(): void {
      clearTimeout(checkpoint?.timer);
      checkpoint = undefined;
      isRunning = true;
      set(disk);
    },
  };
}

function fixed(address: string, gateway: string): PortConfig {
  return { fixed: { address, prefix: 24, gateway }, dns: [gateway] };
}
