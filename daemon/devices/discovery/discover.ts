/**
 * Looks for devices in the networks of the hub: asks for announcements, tries each address, and asks what answers which
 * API it has, without a login. Loaded with the first search.
 */
import { connect, isIPv6 } from 'node:net';
import type { DeviceApi } from '../../contract/device-catalog.ts';
import { type DiscoveryMethod, discoveryMethods, type FoundDevice } from '../../contract/discovery.ts';
import type { Outgoing } from '../../lib/outgoing.ts';
import { CertificateProblem } from '../problem.ts';
import type { DriverRegistry } from '../registry.ts';
import { directTransport } from '../transport.ts';
import type { Announcement, Facts, Place, Question } from './announcement.ts';
import { type AskTimes, ask } from './ask.ts';
import { mdns } from './mdns.ts';
import { macOf, makerOf } from './neighbors.ts';
import { type Interfaces, type SearchNetwork, searchNetworks } from './networks.ts';
import { isLinkLocal } from './networks6.ts';
import { readDescription, ssdp } from './ssdp.ts';
import { wsDiscovery } from './ws-discovery.ts';

export interface DiscoveryTimes extends AskTimes {
  /** Limit for a TCP connection. */
  readonly connectMs: number;
  /** Limit for finding out which API an address has. */
  readonly recognizeMs: number;
  readonly describeMs: number;
}

interface DiscoveryDeps {
  readonly registry: DriverRegistry;
  readonly outgoing: Outgoing;
  readonly times: DiscoveryTimes;
  readonly interfaces?: Interfaces;
}

export interface Search {
  readonly methods: readonly DiscoveryMethod[];
  readonly networks: readonly SearchNetwork[];
  readonly signal: AbortSignal;
  /** `host`: its IP address. Called again with the same one when more is known. */
  readonly onFound: (host: string, found: Omit<FoundDevice, 'added'>) => void;
  /** Addresses that were tried. */
  readonly onProgress: (done: number, total: number) => void;
}

/** Of several networks. */
const maxScanned = 8192;
/** Machines that announce themselves, or that have answered. */
const maxHosts = 2048;
/** Addresses that are tried at the same time, each with all its places. */
const atOnce = 32;
/** Where devices have their web servers, besides the places that they announce. */
const usualPlaces: readonly Place[] = [
  { scheme: 'http', port: 80 },
  { scheme: 'https', port: 443 },
];
/** Those of cameras and of encoders that run as software. */
const scannedPlaces: readonly Place[] = [
  { scheme: 'http', port: 8000 },
  { scheme: 'http', port: 8080 },
];
const maxAnnouncedPlaces = 8;
const maxDescriptionBytes = 65_536;
/** APIs that state what the device is without a login. */
const openApis: ReadonlySet<DeviceApi> = new Set(['mwapiPath']);
const noLogin = { user: '', password: '' };

/** What is known of the machine at an address. */
interface Host {
  readonly address: string;
  /** How it announced itself. */
  readonly by: Set<DiscoveryMethod>;
  facts: Facts;
  /** By port. */
  readonly places: Map<number, Place>;
  readonly tried: Set<number>;
  description: Announcement['description'];
  isDescribed: boolean;
  at: { readonly place: Place; readonly api: DeviceApi; readonly pin?: string | undefined } | undefined;
  /** Whether it has accepted a connection. */
  isOpen: boolean;
  isWaiting: boolean;
  isBusy: boolean;
}

export type Discovery = ReturnType<typeof createDiscovery>;

export function createDiscovery({ registry, outgoing, times, interfaces }: DiscoveryDeps) {
  return {
    networks: (subnet: string | undefined): SearchNetwork[] => searchNetworks(subnet, interfaces),
    /** Rejects with the reason of the signal once that is aborted. */
    async run(search: Search): Promise<void> {
      await new Run(search, { registry, outgoing, times }).finished();
      search.signal.throwIfAborted();
    },
  };
}

const questionsOf: Readonly<Record<Exclude<DiscoveryMethod, 'scan'>, () => Question>> = {
  mdns: () => mdns,
  ssdp: () => ssdp,
  wsDiscovery,
};

class Run {
  private readonly search: Search;
  private readonly deps: DiscoveryDeps;
  private readonly hosts = new Map<string, Host>();
  /** Hosts that announced themselves and have to be looked at. */
  private readonly waiting: Host[] = [];
  private readonly scanned: Iterator<string>;
  private readonly total: number;
  private done = 0;
  private busy = 0;
  private isListening = true;
  private wake = Promise.withResolvers<void>();

  constructor(search: Search, deps: DiscoveryDeps) {
    this.search = search;
    this.deps = deps;
    const isScan = search.methods.includes('scan');
    const addresses = isScan ? [...new Set(search.networks.flatMap((network) => [...network.hosts()]))] : [];
    this.total = Math.min(addresses.length, maxScanned);
    this.scanned = addresses.slice(0, maxScanned).values();
  }

  async finished(): Promise<void> {
    const { methods, networks, signal, onProgress } = this.search;
    onProgress(0, this.total);
    const questions = methods.flatMap((method) => (method === 'scan' ? [] : [questionsOf[method]()]));
    const listening = networks.flatMap(({ own }) =>
      questions.map((question) => ask(question, own, this.deps.times, signal, (...heard) => this.hear(...heard))),
    );
    const end = () => this.wakeAll();
    signal.addEventListener('abort', end, { once: true });
    const workers = Array.from({ length: atOnce }, () => this.work());
    await Promise.all(listening);
    this.isListening = false;
    this.wakeAll();
    await Promise.all(workers);
    signal.removeEventListener('abort', end);
  }

  private wakeAll(): void {
    this.wake.resolve();
    this.wake = Promise.withResolvers();
  }

  private async work(): Promise<void> {
    const { signal } = this.search;
    while (!signal.aborted) {
      const announced = this.waiting.shift();
      const scanned = announced === undefined ? this.scanned.next().value : undefined;
      if (announced !== undefined) await this.lookAt(announced);
      else if (scanned !== undefined) await this.scan(scanned);
      else if (this.isListening || this.busy > 0) await this.wake.promise;
      else return;
    }
  }

  private hostAt(address: string): Host | undefined {
    const known = this.hosts.get(address);
    if (known !== undefined || this.hosts.size >= maxHosts) return known;
    const host: Host = {
      ...{ address, by: new Set<DiscoveryMethod>(), facts: {}, places: new Map(), tried: new Set<number>() },
      ...{ description: undefined, isDescribed: false, at: undefined, isOpen: false, isWaiting: false, isBusy: false },
    };
    this.hosts.set(address, host);
    return host;
  }

  private hear(announcement: Announcement, sender: string): void {
    const { networks } = this.search;
    const isNear = (address: string | undefined): address is string =>
      address !== undefined && networks.some((network) => network.contains(address));
    // A sender from elsewhere is forged; a responder may speak for others of its network.
    if (!isNear(sender)) return;
    const address = [announcement.address, announcement.address6, sender].find(isNear);
    const host = address === undefined || isLinkLocal(address) ? undefined : this.hostAt(address);
    if (host === undefined) return;
    const before = knowledgeOf(host);
    host.by.add(announcement.by);
    host.facts = merged(host.facts, announcement.facts);
    for (const place of [...usualPlaces, ...announcement.places]) {
      if (host.places.size < maxAnnouncedPlaces && !host.places.has(place.port)) host.places.set(place.port, place);
    }
    host.description ??= announcement.description;
    if (knowledgeOf(host) !== before) this.enqueue(host);
  }

  private enqueue(host: Host): void {
    if (host.isWaiting) return;
    host.isWaiting = true;
    // One that is being looked at comes again afterwards.
    if (!host.isBusy) this.waiting.push(host);
    this.wakeAll();
  }

  private async scan(address: string): Promise<void> {
    const host = this.hostAt(address);
    if (host !== undefined) {
      for (const place of [...usualPlaces, ...scannedPlaces]) host.places.set(place.port, place);
      if (host.isBusy) this.enqueue(host);
      else await this.lookAt(host);
      // Most addresses have no device.
      if (host.by.size === 0 && host.at === undefined) this.hosts.delete(address);
    }
    this.done += 1;
    this.search.onProgress(this.done, this.total);
  }

  private async lookAt(host: Host): Promise<void> {
    host.isWaiting = false;
    host.isBusy = true;
    this.busy += 1;
    try {
      await this.describe(host);
      await this.recognize(host);
      this.report(host);
    } finally {
      host.isBusy = false;
      this.busy -= 1;
      // Something was heard of it meanwhile.
      if (host.isWaiting) this.waiting.push(host);
      this.wakeAll();
    }
  }

  private async describe(host: Host): Promise<void> {
    const { description, isDescribed } = host;
    if (description === undefined || isDescribed) return;
    host.isDescribed = true;
    const { outgoing, times } = this.deps;
    const transport = directTransport({ protocol: 'http', host: host.address, port: description.port }, outgoing);
    const request = { path: description.path, timeoutMs: times.describeMs, maxBytes: maxDescriptionBytes };
    const answer = await transport.request(request, this.search.signal).catch(() => undefined);
    const read =
      answer?.status === 200 ? readDescription(answer.body, `http://${host.address}:${description.port}/`) : undefined;
    if (read === undefined) return;
    host.facts = merged(read.facts, host.facts);
    if (read.place !== undefined && !host.places.has(read.place.port)) host.places.set(read.place.port, read.place);
  }

  /** Asks the places that were not asked yet, one after the other, until one is known. */
  private async recognize(host: Host): Promise<void> {
    if (host.at !== undefined) return;
    const places = [...host.places.values()].filter(({ port }) => !host.tried.has(port));
    for (const { port } of places) host.tried.add(port);
    const open = await Promise.all(places.map(async (place) => ((await this.accepts(host, place)) ? [place] : [])));
    host.isOpen ||= open.flat().length > 0;
    for (const place of open.flat()) {
      if (this.search.signal.aborted) return;
      const known = await this.recognizeAt(host, place);
      if (known === undefined) continue;
      host.at = { place, ...known };
      return;
    }
  }

  private async accepts({ address }: Host, { port }: Place): Promise<boolean> {
    const { outgoing, times } = this.deps;
    try {
      const [host] = await outgoing.resolve({ host: address, port });
      return await accepts({ host, port }, times.connectMs);
    } catch {
      // It may not be connected to.
      return false;
    }
  }

  private async recognizeAt(host: Host, { scheme: protocol, port }: Place) {
    const { registry, outgoing, times } = this.deps;
    const signal = AbortSignal.any([this.search.signal, AbortSignal.timeout(times.recognizeMs)]);
    let pin: string | undefined;
    for (;;) {
      const address = { protocol, host: host.address, port, ...(pin !== undefined && { fingerprint: pin }) };
      const transport = directTransport(address, outgoing);
      try {
        const api = await registry.recognize(transport, signal);
        if (openApis.has(api)) {
          const identity = await registry.identify(transport, noLogin, signal).catch(() => undefined);
          if (identity) host.facts = merged(identity, host.facts);
        }
        return { api, pin };
      } catch (error) {
        // Nothing secret is sent to it.
        if (!(error instanceof CertificateProblem) || pin !== undefined) return undefined;
        pin = error.fingerprint;
      }
    }
  }

  /** A server that neither says nor shows that it is a device is none. */
  private report({ address, by, facts, at, isOpen }: Host): void {
    const mac = by.size > 0 || isOpen ? macOf(address) : undefined;
    const maker = facts.maker ?? makerOf(mac);
    if (this.search.signal.aborted || (at === undefined && by.size === 0 && makerOf(mac) === undefined)) return;
    const { place = usualPlaces[0] as Place, api, pin } = at ?? {};
    const isUsual = usualPlaces.some(({ scheme, port }) => scheme === place.scheme && port === place.port);
    this.search.onFound(address, {
      address: `${place.scheme}://${isIPv6(address) ? `[${address}]` : address}${isUsual ? '' : `:${place.port}`}`,
      ...{ name: facts.name, model: facts.model, maker, sn: facts.sn, mac, api, pin },
      by: by.size === 0 ? ['scan'] : discoveryMethods.filter((method) => by.has(method)),
    });
  }
}

const knowledgeOf = ({ by, facts, places, description }: Host): string =>
  JSON.stringify([by.size, facts, places.size, description]);

/** Whether the address accepts connections. An attempt that is given up leaves no socket behind. */
function accepts(to: { readonly host: string; readonly port: number }, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(to);
    const end = (isAccepted: boolean) => {
      clearTimeout(timer);
      resolve(isAccepted);
      socket.destroy();
    };
    const timer = setTimeout(end, timeoutMs, false);
    socket.once('connect', () => end(true));
    socket.on('error', () => end(false));
  });
}

/** What is known first stays. */
function merged(known: Facts, more: Facts): Facts {
  return {
    ...{ name: known.name || more.name, model: known.model || more.model },
    ...{ maker: known.maker || more.maker, sn: known.sn || more.sn },
  };
}
