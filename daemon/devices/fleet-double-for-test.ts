/** Devices that exist in memory only: a test says what they report, and sees what is asked of them. */
import type { DeviceFacts, DeviceIdentity } from '../contract/device-facts.ts';
import type { DeviceProblemWord } from '../contract/device-problems.ts';
import type { FoundDevice } from '../contract/discovery.ts';
import type { SourceTest } from '../contract/inputs.ts';
import { connectionStates } from '../contract/streams.ts';
import { duplexOf } from '../link/duplex.ts';
import { labelOf } from '../sources/stream-address.ts';
import { openDirectStream } from './direct-stream.ts';
import { searchNetworks } from './discovery/networks.ts';
import type { DeviceSession, Transport } from './driver.ts';
import type { DevicePorts, DeviceWay, Identified } from './ports.ts';
import { DeviceProblem, problemOfStream } from './problem.ts';
import type { DeviceReport, Fleet, FleetDevice } from './report.ts';
import { createStreamDriver } from './stream/driver.ts';

export interface FleetDouble extends DevicePorts {
  /** The devices that the hub asks at present. */
  readonly asked: readonly FleetDevice[];
  readonly isLoaded: boolean;
  /** Asked every second, because somebody watches them. */
  readonly holders: ReadonlyMap<string, number>;
  readonly ways: readonly DeviceWay[];
  /** What answers at an address; without it, nothing does. */
  readonly at: Map<string, Identified | DeviceProblem>;
  /** What is found when a stream is opened, by its address without secrets; without it, nothing answers. */
  readonly streams: Map<string, SourceTest>;
  /** The pictures that are made of streams, by the same address. */
  readonly frames: Map<string, Uint8Array>;
  /** Sessions of devices; without one, an act is unsupported. */
  readonly sessions: Map<string, Partial<DeviceSession>>;
  /** What a search for devices finds, by IP address. */
  readonly discovers: Map<string, Omit<FoundDevice, 'added'>>;
  /** Ports of this machine that are those of devices, by serial number and port, as in `sn:22`. */
  readonly tcp: Map<string, number>;
  /** A search ends only when this resolves. */
  searching: Promise<void>;
  report(sn: string, report: Partial<DeviceReport>): void;
  /** The same for a device that answers. */
  online(sn: string, facts?: Partial<DeviceFacts>): void;
  offline(sn: string, word?: DeviceProblemWord): void;
}

export function identityOf(sn: string, more: Partial<DeviceIdentity> = {}): DeviceIdentity {
  return {
    ...{ sn, name: `Device ${sn}`, api: 'usapi', 'product-id': 787, model: 'Ultra Encode AIO' },
    ...{ 'hardware-ver': 'B', 'firmware-ver': '2.3.43' },
    ...more,
  };
}

const nothingThere: SourceTest = { found: false, 'conn-state': connectionStates.tcpFailed, reason: 'unreachable' };

const startedAt = 1_700_000_000_000;

export function createFleetDouble(): FleetDouble {
  const reports = new Map<string, DeviceReport>();
  const listeners = new Set<(sns: readonly string[]) => void>();
  const tell = (sn: string) => {
    for (const listener of listeners) listener([sn]);
  };
  let asked: readonly FleetDevice[] = [];
  let isLoaded = false;
  const kept = new Set<string>();
  const holders = new Map<string, number>();
  const count = (sns: readonly string[], by: number) => {
    for (const sn of sns) holders.set(sn, (holders.get(sn) ?? 0) + by);
  };
  const ways: DeviceWay[] = [];
  const at: FleetDouble['at'] = new Map();
  const streams: FleetDouble['streams'] = new Map();
  const frames: FleetDouble['frames'] = new Map();
  const discovers: FleetDouble['discovers'] = new Map();
  const sessions: FleetDouble['sessions'] = new Map();
  const tcp: FleetDouble['tcp'] = new Map();
  const fleet: Fleet = {
    apply(devices) {
      asked = devices;
      for (const { sn } of devices)
        if (!reports.has(sn)) reports.set(sn, { connection: 'connecting', since: startedAt });
      const wanted = new Set(devices.map(({ sn }) => sn));
      for (const sn of reports.keys()) if (!wanted.has(sn)) reports.delete(sn);
    },
    report: (sn) => reports.get(sn),
    history: (sn) => {
      if (!reports.get(sn)?.facts) return undefined;
      const values = [null, 1, 2];
      return { end: startedAt, cpu: values, temperature: values, rxKbps: values, txKbps: values, streamKbps: values };
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    hold(sns) {
      count(sns, 1);
      return () => count(sns, -1);
    },
    async picture(sn) {
      const { snapshot } = sessions.get(sn) ?? {};
      if (snapshot === undefined) throw new DeviceProblem('unsupported', 'the double has no picture');
      return await snapshot(AbortSignal.any([]));
    },
    async stream(sn, use) {
      return await sessions.get(sn)?.stream?.(use, AbortSignal.any([]));
    },
    ask: (sn, read) => fleet.act(sn, read),
    renamed(sn, name) {
      const report = reports.get(sn);
      if (!report?.facts) return;
      const identity = { ...report.facts.identity, name };
      reports.set(sn, { ...report, facts: { ...report.facts, identity } });
      tell(sn);
    },
    async act(sn, act) {
      const session = sessions.get(sn);
      if (session === undefined) throw new DeviceProblem('unsupported', 'it has no session');
      return await act(session as DeviceSession, AbortSignal.timeout(1000));
    },
    keep(sn) {
      const session = sessions.get(sn);
      if (session === undefined) throw new DeviceProblem('unsupported', 'it has no session');
      if (kept.has(sn)) throw new DeviceProblem('busy', 'it is kept');
      kept.add(sn);
      return {
        use: (work, signal) => work(session as DeviceSession, signal),
        async poll() {
          const facts = reports.get(sn)?.facts;
          if (facts === undefined) throw new DeviceProblem('unreachable', 'it reports nothing');
          return facts;
        },
        release: () => kept.delete(sn),
      };
    },
    close: () => Promise.resolve(),
  };
  const transport: Transport = { request: () => Promise.reject(new DeviceProblem('unreachable', 'in memory')) };
  const double: FleetDouble = {
    get asked() {
      return asked;
    },
    get isLoaded() {
      return isLoaded;
    },
    ...{ ways, at, streams, frames, sessions, tcp, holders },
    loadFleet() {
      isLoaded = true;
      return Promise.resolve(fleet);
    },
    transportTo(way) {
      ways.push(way);
      return { ...transport };
    },
    streamOf: (stream) => ({
      ...stream,
      look: () => Promise.resolve(streams.get(labelOf(stream.source)) ?? nothingThere),
    }),
    frame: ({ source }) => Promise.resolve(frames.get(labelOf(source))),
    oscOf: (device) => ({ ...device, status: () => Promise.resolve(new Map()) }),
    async identifyOsc({ sn, name }, address) {
      const { identity } = await double.identify(address, { user: '', password: '' }, undefined);
      return { identity: { ...identity, sn, name }, api: 'v1', address };
    },
    async identifyStream(stream) {
      const identity = await createStreamDriver()
        .open(transport, { user: '', password: '' }, stream)
        .identify(AbortSignal.any([]));
      return { identity, api: 'stream' };
    },
    ...{ discovers, searching: Promise.resolve() },
    async loadDiscovery() {
      return {
        networks: (subnet) =>
          searchNetworks(subnet, () => ({
            eth0: [
              {
                ...{ address: '10.0.0.2', netmask: '', mac: '', internal: false },
                family: 'IPv4',
                cidr: '10.0.0.2/24',
              },
            ],
          })),
        async run({ onFound, onProgress, signal }) {
          onProgress(0, 254);
          for (const [host, found] of discovers) onFound(host, found);
          const aborted = Promise.withResolvers<never>();
          signal.addEventListener('abort', () => aborted.reject(signal.reason), { once: true });
          await Promise.race([double.searching, aborted.promise]);
          onProgress(254, 254);
        },
      };
    },
    openPort({ sn }, asked) {
      const port = tcp.get(`${sn}:${asked}`);
      if (port === undefined) return 'offline';
      const outgoing = { resolve: async () => ['127.0.0.1'] as const };
      return openDirectStream({ host: 'device', port, mayBeOwn: true }, { outgoing, connectMs: 5000 });
    },
    async openWeb(way, use) {
      const stream = this.openPort(way, 80, use);
      if (typeof stream === 'string') throw problemOfStream(stream);
      return {
        stream: duplexOf(stream, problemOfStream),
        place: { scheme: 'http', authority: 'device' },
        isAgent: false,
      };
    },
    async identify(address) {
      const found = at.get(address);
      if (found === undefined) throw new DeviceProblem('unreachable', 'nothing answers');
      if (found instanceof DeviceProblem) throw found;
      return found;
    },
    report(sn, report) {
      reports.set(sn, { connection: 'online', since: startedAt, ...report });
      tell(sn);
    },
    online(sn, facts = {}) {
      const identity = identityOf(sn);
      double.report(sn, {
        connection: 'online',
        facts: { identity, streams: [], disks: [], warnings: [], tasks: [], ...facts },
      });
    },
    offline(sn, word = 'unreachable') {
      double.report(sn, { connection: 'offline', problem: { word, message: `is ${word}` } });
    },
  };
  return double;
}
