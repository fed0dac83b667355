/** The Ethernet ports of the appliance: shows them, and changes them so that a mistake undoes itself. */
import type { ConfirmedChanges, Proof } from '../../appliance/confirmed-change/confirmed-changes.ts';
import { type LightPort, maxBlinkSeconds } from '../../appliance/light/port.ts';
import { MissingPart } from '../../appliance/missing-part.ts';
import type { NetDevice, NetPort, NetState, PortConfig, Traffic } from '../../appliance/net/port.ts';
import type { Missing } from '../../contract/appliance.ts';
import type { OperationChange } from '../../contract/logs.ts';
import type { EndedChange, Network, NetworkPort, ToConfirm } from '../../contract/network.ts';
import { defaultConfirmSeconds, type EthernetPort, ethernetPorts } from '../../contract/network-fields.ts';
import type { Actor, Session } from '../../http/route.ts';
import { createEmitter } from '../../lib/emitter.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import { type ConnectionEnds, localEnd } from '../../lib/local-end.ts';
import { inUse } from '../../lib/refusals.ts';
import { shareInterval } from '../../lib/shared-interval.ts';
import { type Database, transaction } from '../../store/database.ts';
import { refuseStale, revisionOf } from '../../store/revisions.ts';
import type { Audit } from '../logs/audit.ts';
import { type AskedPorts, absentPort, assign, portChanges, settingsOf } from './ports.ts';
import { edited, readHardware, writeHardware } from './store.ts';

export interface NetworkDeps {
  readonly db: Database;
  readonly audit: Audit;
  readonly net: NetPort;
  readonly light: LightPort;
  readonly changes: () => Promise<ConfirmedChanges>;
  /** The change that ended last. */
  readonly ended: () => EndedChange | undefined;
}

export interface NetworkChange extends AskedPorts {
  readonly revision?: number | undefined;
  readonly 'confirm-within'?: number | undefined;
  readonly 'accept-risk'?: boolean | undefined;
}

/** A rate between readings that are further apart says nothing about now. */
const longestGapMs = 10_000;
const tickMs = 1000;

export type NetworkService = ReturnType<typeof createNetworkService>;

export function createNetworkService({ db, audit, net, light, changes, ended }: NetworkDeps) {
  const news = createEmitter();
  const blinking = new Set<EthernetPort>();
  /** What was read last; the state of ports is unknown while nothing can be read. */
  let known: { readonly state: NetState | undefined; readonly missing: Missing } = { state: undefined, missing: [] };
  let figures: { readonly at: number; readonly bytes: ReadonlyMap<string, Traffic> } | undefined;
  let rates: ReadonlyMap<string, { readonly rx: number; readonly tx: number }> = new Map();
  let shown: Network | undefined;

  const read = async (): Promise<NetState> => {
    const state = await net.read();
    known = { state, missing: [] };
    rememberPorts(state.devices);
    return state;
  };
  /** The first time that a port has an interface decides which one it is. */
  const rememberPorts = (devices: readonly NetDevice[]): void => {
    const stored = readHardware(db);
    const found = assign(devices, stored);
    const next = Object.fromEntries(ethernetPorts.map((port) => [port, stored[port] ?? found[port]?.hardware]));
    if (ethernetPorts.some((port) => stored[port] !== next[port])) writeHardware(db, next);
  };
  const measure = async (): Promise<void> => {
    const [at, bytes] = [performance.now(), await net.traffic()];
    const gap = figures === undefined ? Number.POSITIVE_INFINITY : at - figures.at;
    const before = figures?.bytes;
    figures = { at, bytes };
    if (gap > longestGapMs || gap <= 0) return;
    rates = new Map(
      [...bytes].map(([name, { rxBytes, txBytes }]) => {
        const last = before?.get(name) ?? { rxBytes, txBytes };
        const kbps = (now: number, then: number) => Math.max(0, Math.round(((now - then) * 8) / gap));
        return [name, { rx: kbps(rxBytes, last.rxBytes), tx: kbps(txBytes, last.txBytes) }];
      }),
    );
  };
  const look = async (): Promise<Network> => {
    try {
      await read();
      await measure();
    } catch (error) {
      if (!(error instanceof MissingPart)) throw error;
      known = { ...known, missing: [{ part: error.part, fault: error.fault }] };
    }
    const waiting = (await changes()).waiting();
    const last = ended();
    shown = {
      ports: portViews(),
      ...(waiting && { waiting }),
      ...(last && { ended: last }),
      missing: known.missing,
      revision: revisionOf(db, edited),
    };
    return shown;
  };
  const portViews = (): NetworkPort[] => {
    const { devices = [], configs = {} } = known.state ?? {};
    const found = assign(devices, readHardware(db));
    return ethernetPorts.map((port) => {
      const device = found[port];
      const config = configs[port] ?? device?.config;
      const isKnown = known.missing.length === 0;
      return {
        port,
        ...(config && { settings: settingsOf(config) }),
        state: isKnown ? (device?.state ?? 'absent') : 'unknown',
        ...{ device: device?.name ?? '', mac: device?.mac ?? '', driver: device?.driver ?? '' },
        ...{ link: isKnown && device?.hasLink === true, speed: isKnown ? (device?.speed ?? 0) : 0 },
        ...{ addresses: [...(device?.addresses ?? [])], gateway: device?.gateway ?? '', dns: [...(device?.dns ?? [])] },
        'rx-kbps': (isKnown && rates.get(device?.name ?? '')?.rx) || 0,
        'tx-kbps': (isKnown && rates.get(device?.name ?? '')?.tx) || 0,
      };
    });
  };

  return {
    get: look,
    /** The answer leaves before the change. */
    async set(actor: Actor, { user, token }: Session, change: NetworkChange): Promise<ToConfirm> {
      refuseStale(db, edited, 'network', change.revision);
      const { 'confirm-within': seconds = defaultConfirmSeconds, 'accept-risk': acceptsRisk } = change;
      if (seconds === 0 && acceptsRisk !== true) {
        throw fieldError(
          'accept-risk',
          'required',
          'a change without confirmation may cut you off permanently; set accept-risk',
        );
      }
      const plan = portChanges(await read(), readHardware(db), change);
      const service = await changes();
      const userId = token ? null : user.id;
      const secret = await service.begin({ kind: 'network', change: plan, user: actor.name, userId, seconds });
      const described = plan.map(({ port, config }): OperationChange => ({ word: port, value: textOf(config) }));
      const limit: OperationChange[] = seconds === 0 ? [] : [{ word: 'confirmWithin', value: String(seconds) }];
      transaction<void>(db, (tx) => {
        for (const { port, hardware } of plan) writeHardware(tx, { ...readHardware(tx), [port]: hardware });
        const entry = { action: 'network.set', subject: '', changes: [...described, ...limit], edited: [edited] };
        audit.record(tx, actor, entry);
      });
      const addresses = plan.flatMap(({ config }) => (config.fixed ? [config.fixed.address] : []));
      return { ...(secret !== '' && { token: secret }), 'confirm-by-s': seconds, addresses };
    },
    confirm: async (proof: Proof, over: Pick<Actor, 'certificate'>) => (await changes()).confirm(proof, over),
    /** `connection`: on which the hub was asked. */
    answer: async (challenge: string, connection: ConnectionEnds | undefined) =>
      (await changes()).answer(challenge, async () => {
        const address = connection && (await localEnd(connection));
        if (address === undefined) throw new HubError('tryAgain', 'the address at which this call arrived is unknown');
        return address;
      }),
    async cancel(actor: Actor): Promise<void> {
      await (await changes()).cancel();
      transaction<void>(db, (tx) => audit.record(tx, actor, { action: 'network.cancel', subject: '' }));
    },
    /** Makes a port blink. Resolves when it has blinked. */
    async identify(actor: Actor, port: EthernetPort): Promise<void> {
      const device = assign((await read()).devices, readHardware(db))[port];
      if (device === undefined) throw absentPort(port);
      if (blinking.has(port)) throw inUse(port.toUpperCase(), actor.name);
      blinking.add(port);
      try {
        const by = { user: actor.name, address: actor.ip };
        if (!(await light.blink(device.name, maxBlinkSeconds, by))) {
          throw new HubError('unsupported', `the driver of ${device.name} cannot blink its lights`);
        }
      } finally {
        blinking.delete(port);
      }
      audit.note(db, actor, { action: 'network.identify', subject: port });
    },
    /** The newest state, as `get` returned it. */
    shown: () => shown,
    /** Calls the listener after each change of the state until the returned function is called. */
    follow(listener: () => void): () => void {
      let isOver = false;
      let isLooking = false;
      const again = (): void => {
        if (isLooking || isOver) return;
        isLooking = true;
        look()
          .catch(() => {})
          .finally(() => {
            isLooking = false;
            if (!isOver) listener();
          });
      };
      const stops = [net.watch(again), shareInterval(tickMs, again), news.on(again)];
      void changes().then((service) => (isOver ? undefined : stops.push(service.onChange(again))));
      again();
      return () => {
        isOver = true;
        for (const stop of stops) stop();
      };
    },
  };
}

/** For the operation log: `192.0.2.10/24, gateway 192.0.2.1, DNS 192.0.2.1`. */
function textOf({ fixed, dns }: PortConfig): string {
  const address = fixed === null ? 'DHCP' : `${fixed.address}/${fixed.prefix}`;
  const gateway = fixed?.gateway ? [`gateway ${fixed.gateway}`] : [];
  return [address, ...gateway, ...(dns.length > 0 ? [`DNS ${dns.join(' ')}`] : [])].join(', ');
}
