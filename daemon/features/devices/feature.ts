/** Assembles the noun for the composition root: devices and their groups. */
import type { Context } from 'hono';
import { calls } from '../../contract/calls.ts';
import { canEver, type DeviceAction } from '../../contract/device-actions.ts';
import type { DeviceIdentity } from '../../contract/device-facts.ts';
import { type DevicePrefix, devicePrefixes } from '../../contract/device-prefixes.ts';
import { regStates } from '../../contract/device-states.ts';
import type { FirmwareProduct } from '../../contract/firmware.ts';
import { holds } from '../../contract/permission.ts';
import type { DeviceCounts } from '../../contract/system.ts';
import type { DeviceWeb, PortUse } from '../../devices/ports.ts';
import type { MetricWriter } from '../../http/metrics.ts';
import type { CallerAccess, Guarded } from '../../http/object-access.ts';
import { type Actor, type HubEnv, lazyRoutes, type Session } from '../../http/route.ts';
import { createEmitter } from '../../lib/emitter.ts';
import { HubError } from '../../lib/hub-error.ts';
import { unlessNoSpace } from '../../lib/no-space.ts';
import type { ByteStream } from '../../link/byte-stream.ts';
import type { StreamCode } from '../../link/codes.ts';
import type { Queries } from '../../store/database.ts';
import type { DeviceActions } from './actions.ts';
import { createDeviceAdder } from './add.ts';
import { createDeviceClashes } from './clashes.ts';
import type { createDeviceConnector } from './connect.ts';
import { bucketsOf, countSeen } from './counts.ts';
import type { DeviceDeps } from './deps.ts';
import { eventTexts } from './events.ts';
import { createFollower } from './follow.ts';
import { createDeviceGroups } from './groups.ts';
import { createInventory } from './inventory.ts';
import { createDeviceJoin, linkStateAfter } from './join.ts';
import { createPictureFinder } from './picture-of.ts';
import { createDevicePictures } from './pictures.ts';
import { offline, refusalOf, unknownDevice } from './problem-result.ts';
import { productsOf } from './products.ts';
import { createDeviceReads } from './reads.ts';
import { createReports, isHubWarning, type Report } from './reports.ts';
import { createDeviceService, type DeviceContext } from './service.ts';
import { clearBits } from './store.ts';
import { createDeviceTopics } from './topics.ts';
import { warnsOf } from './view.ts';

/** Sees everything. */
const hub: CallerAccess = {
  canSee: () => true,
  canAct: () => true,
  visible(object) {
    if (object === undefined) throw new Error('there is no such object');
    return object;
  },
};

/** A device as the alarms look at it. */
function watchedDevice(of: { readonly sn: string; readonly name: string }, { connection, problem, facts }: Report) {
  const current = connection === 'online' ? facts : undefined;
  const hasProblem = isHubWarning(problem);
  return { ...of, connection, problem: problem?.word, hasProblem, warnings: warnsOf(current), facts: current };
}

/** What other nouns need to know of a device. */
export interface DeviceStanding {
  readonly id: number;
  readonly name: string;
  readonly isAccepted: boolean;
  /** Whether it has ports that the hub can reach; a device that is only a stream has none. */
  readonly hasPorts: boolean;
  readonly isOnline: boolean;
}

export type OpenDevicePort = (sn: string, port: number, use: PortUse) => ByteStream | StreamCode;

export function createDeviceFeature(deps: DeviceDeps) {
  const { db, access, license, log, channels } = deps;
  /** For pauses and windows: the clock of the system may be set back. */
  const now = () => performance.now();
  const inventory = createInventory(db, () => license.limits().devices);
  const reports = createReports({ inventory, ports: deps.ports, isOn: deps.isOn, secrets: deps.secrets, log, now });
  const deviceChanges = createEmitter<[sns: readonly string[]]>();
  const groupChanges = createEmitter();
  access.groupsFrom({ groups: inventory.groups, ofHub: inventory.masks });

  const everySn = () => [...inventory.devices().keys()];
  const context: DeviceContext = {
    ...deps,
    ...{ inventory, reports },
    onStored(sns) {
      if (sns.length === 0) return;
      inventory.reload(sns);
      reports.apply();
      deviceChanges.emit(sns);
      for (const sn of sns) deps.setLinkState(sn, linkStateAfter(inventory.devices().get(sn)?.row));
    },
    onGroupsStored() {
      inventory.reloadGroups();
      groupChanges.emit();
      // Who sees them may have changed.
      deviceChanges.emit(everySn());
    },
  };
  const devices = createDeviceService(context);
  const groups = createDeviceGroups(context, devices);
  const pictures = createDevicePictures({
    canSee(session, sn) {
      const device = inventory.devices().get(sn);
      return device !== undefined && holds(session.user.permission, 'deviceView') && access.canSee(session, device);
    },
    ask: createPictureFinder({ inventory, reports, ports: deps.ports, channels }),
    onProblem: (sn) => deviceChanges.emit([sn]),
    ...{ look: reports.look, now },
  });
  const reads = createDeviceReads(context, groups, pictures.problemOf);
  const clashes = createDeviceClashes(context, (sn) => deviceChanges.emit([sn]));
  const adder = createDeviceAdder(context, clashes);
  let loadingConnector: Promise<ReturnType<typeof createDeviceConnector>> | undefined;
  /** Loaded with the first device: a hub without devices connects none. */
  const connector = () => {
    loadingConnector ??= import('./connect.ts').then(({ createDeviceConnector }) => createDeviceConnector(context));
    return loadingConnector;
  };
  const checkConnections = (sns: readonly string[], isNews: boolean) => {
    if (sns.length > 0) void connector().then(({ check }) => check(sns, { isNews }));
  };
  let loadingActions: Promise<DeviceActions> | undefined;
  const actions = () => {
    loadingActions ??= import('./actions.ts').then(({ createDeviceActions }) => createDeviceActions(context, reads));
    return loadingActions;
  };
  const statedBy = (sns: readonly string[]): DeviceIdentity[] =>
    sns.flatMap((sn) => {
      const own = inventory.devices().get(sn);
      const report = own && reports.of(own);
      return report?.connection === 'online' ? (report.facts?.identity ?? []) : [];
    });
  const follower = createFollower({ store: (sns) => unlessNoSpace(() => adder.follow(statedBy(sns))), now });
  const join = createDeviceJoin({
    inventory,
    log,
    now,
    apply: adder.apply,
    clash: adder.clash,
    invitationCode: deps.invitationCode,
  });

  let hasForgotten = false;
  const countsFor = (canSee: (guard: Guarded) => boolean) => ({
    ...countSeen(bucketsOf(inventory, reports.of), canSee),
    'num-clash': clashes.countSeen(canSee),
  });
  const withLimit = (counts: ReturnType<typeof countsFor>): DeviceCounts => ({
    ...counts,
    'limit-num': license.limits().devices,
  });
  const onDevices = (changed: (sns: readonly string[]) => void) => {
    let owners = reads.ownersNote();
    const leave = [
      deviceChanges.on(changed),
      reports.onChange(changed),
      channels.onChange(() => {
        const before = owners;
        owners = reads.ownersNote();
        changed(changedOwners(before, owners));
      }),
    ];
    return () => {
      for (const stop of leave) stop();
    };
  };
  /** Serial numbers of the devices whose channels were changed or renamed. */
  const changedOwners = (before: ReadonlyMap<number, string>, after: ReadonlyMap<number, string>): string[] => {
    const ids = [...new Set([...before.keys(), ...after.keys()])].filter((id) => before.get(id) !== after.get(id));
    if (ids.length === 0) return [];
    const changed = new Set<number | null>(ids);
    return [...inventory.devices().values()].flatMap(({ row }) =>
      changed.has(row.id) || changed.has(row.playsChannelId) ? [row.sn] : [],
    );
  };

  const canSee = (session: Session, sn: string): boolean => {
    const device = inventory.devices().get(sn);
    return device !== undefined && access.canSee(session, device);
  };

  return {
    routes: [
      lazyRoutes(calls.devices, async () =>
        (await import('./routes.ts')).deviceRoutes({ context, reads, devices, adder, connector: await connector() }),
      ),
      lazyRoutes(calls.deviceActions, async () =>
        (await import('./action-routes.ts')).deviceActionRoutes(await actions()),
      ),
      lazyRoutes(calls.deviceClashes, async () => (await import('./routes.ts')).deviceClashRoutes(clashes)),
      lazyRoutes(calls.deviceGroups, async () => (await import('./routes.ts')).deviceGroupRoutes(groups)),
    ],
    prefixRoutes: (Object.keys(devicePrefixes) as DevicePrefix[]).map((prefix) => ({
      ...({ prefix, scope: 'deviceView', field: devicePrefixes[prefix] } as const),
      summary: 'Call a device as its own API is called; docs/compatibility.md lists the calls.',
      query: { 'sc-client-id': 'Serial number of the device.', method: 'Name of the call, if it has no path.' },
      respond: async (c: Context<HubEnv>) =>
        (await import('./proxy.ts')).answerPublishedCall(c, prefix, { context, actions }),
    })),
    topics: createDeviceTopics({
      ...{ inventory, canSee: access.canSee, viewDevice: (device) => reads.view(device) },
      viewGroups: () =>
        groups.inOrder(hub).map((shown) => ({ group: inventory.groups().get(shown.id) ?? null, shown })),
      countsOf: (user) => withLimit(countsFor((guard) => access.canSee({ user } as Session, guard))),
      users: deps.users,
      onDevices,
      onGroups: groupChanges.on,
      hold: reports.hold,
    }),
    pictures: [pictures],
    metrics: ({ metric }: MetricWriter) => {
      const all = countsFor(hub.canSee);
      metric(
        'signalbox_devices',
        'gauge',
        'Devices by `state`: accepted, online and warning (both are among the accepted ones), pending, rejected.',
        [
          [{ state: 'accepted' }, all['num-all']],
          [{ state: 'online' }, all['num-online']],
          [{ state: 'warning' }, all['num-warn']],
          [{ state: 'pending' }, all['num-pending']],
          [{ state: 'rejected' }, all['num-rejected']],
        ],
      );
    },
    start(): void {
      reports.onChange((sns) => {
        const others = statedBy(sns).filter(adder.isOther);
        if (others.length > 0) follower.changed(others.map(({ sn }) => sn));
        checkConnections(sns, false);
      });
      deviceChanges.on((sns) => checkConnections(sns, true));
      let configured = channels.configured();
      channels.onChange(() => {
        if (configured === channels.configured()) return;
        configured = channels.configured();
        checkConnections(everySn(), true);
      });
      reports.apply();
    },
    async close(): Promise<void> {
      follower.close();
      await reports.close();
    },
    /** Numbers of the devices that the caller sees. */
    counts(session: Session | null): DeviceCounts {
      const isReader = session !== null && holds(session.user.permission, 'deviceView');
      const canSee = (guard: Guarded) => isReader && access.canSee(session, guard);
      return withLimit(countsFor(canSee));
    },
    /** The accepted devices as the alarms look at them. */
    *watched(): Iterable<ReturnType<typeof watchedDevice>> {
      if (!deps.isOn) return;
      for (const own of inventory.devices().values()) {
        const { sn, name, regState } = own.row;
        if (regState === regStates.accepted && !inventory.isOver(sn))
          yield watchedDevice({ sn, name }, reports.of(own));
      }
    },
    /** Whether there is such a device, and the caller may see it; what the call needs was checked before. */
    canSee,
    /** Throws the same as other calls if there is no such device, or the caller may not see it. */
    nameFor(session: Session, sn: string): string {
      const device = inventory.devices().get(sn);
      if (device === undefined || !canSee(session, sn)) throw unknownDevice();
      return device.row.name;
    },
    /**
     * Opens a connection to a TCP port of the device; a code if that is not possible at once. What fails later closes the
     * stream with a code. The caller checks permissions, and which ports may be reached.
     */
    openPort(sn: string, port: number, use: PortUse): ByteStream | StreamCode {
      const row = inventory.devices().get(sn)?.row;
      if (row === undefined) return 'unknown';
      if (!deps.isOn || row.regState !== regStates.accepted || inventory.isOver(sn)) return 'offline';
      // A device that is only a stream has no other ports that the hub knows of.
      if (row.stream !== null) return 'notPermitted';
      const { link, address, pin } = row;
      return deps.ports.openPort({ sn, link, address, pin }, port, use);
    },
    /** For upgrades of their firmware. */
    forUpgrades: {
      find: (sn: string) => inventory.devices().get(sn),
      ...{ reportOf: reports.of, isOver: inventory.isOver, keep: reports.keep, onUpgrade: deviceChanges.emit },
      tell(of: {
        readonly peer: string;
        readonly device: string;
        readonly version?: string;
        readonly reason?: string;
      }) {
        if (of.reason === undefined) log.info(eventTexts.upgraded, of);
        else log.warn(eventTexts.upgradeFailed, of);
      },
    },
    /** The products of the devices that the caller sees. */
    products(session: Session): FirmwareProduct[] {
      if (!holds(session.user.permission, 'deviceView')) return [];
      return productsOf([...inventory.devices().values()].filter((device) => access.canSee(session, device)));
    },
    /** Tells devices to act; loaded with its first use. */
    actions,
    /** Undefined if there is no such device. */
    standing(sn: string): DeviceStanding | undefined {
      const own = inventory.devices().get(sn);
      if (own === undefined) return undefined;
      const { id, name, regState, stream } = own.row;
      const isAccepted = regState === regStates.accepted;
      return { id, name, isAccepted, hasPorts: stream === null, isOnline: reports.of(own).connection === 'online' };
    },
    /** Calls the listener with the devices that have changed or were deleted; `isStored`: not only what they report. */
    onChange(changed: (sns: readonly string[], isStored: boolean) => void): () => void {
      const stops = [deviceChanges.on((sns) => changed(sns, true)), reports.onChange((sns) => changed(sns, false))];
      return () => {
        for (const stop of stops) stop();
      };
    },
    /** Why the caller may not open the web page of the device; undefined if that is allowed. */
    webRefusal(session: Session, sn: string): HubError | undefined {
      const device = inventory.devices().get(sn);
      if (device === undefined || !canSee(session, sn)) return unknownDevice();
      if (!holds(session.user.permission, 'deviceControl'))
        return new HubError('notPermitted', 'this requires the permission deviceControl');
      const { regState, name, stream } = device.row;
      if (stream !== null) return new HubError('unsupported', `'${name}' is a stream and has no web page`);
      return deps.isOn && regState === regStates.accepted && !inventory.isOver(sn) ? undefined : offline(name);
    },
    /** Opens a connection to the web page of the device. Rejects with a DeviceProblem. The caller checks permissions. */
    async openWeb(sn: string, user: string): Promise<DeviceWeb> {
      const own = inventory.devices().get(sn);
      if (own === undefined) throw unknownDevice();
      const { link, address, pin } = own.row;
      const web = await deps.ports.openWeb({ sn, link, address, pin }, { priority: 'interactive', user });
      const { ethernet, wifi } = reports.of(own).facts ?? {};
      const hosts = [ethernet?.address, wifi?.address].filter((one) => one !== undefined);
      return { ...web, place: { ...web.place, hosts } };
    },
    problemOf: refusalOf,
    scheduled: {
      find(sn: string) {
        const own = inventory.devices().get(sn);
        return own && { name: own.row.name, guard: own };
      },
      canEver(sn: string, action: DeviceAction) {
        const own = inventory.devices().get(sn);
        return own !== undefined && canEver(reads.view(own), action);
      },
      onChange: (listener: () => void) => deviceChanges.on(listener),
      act: async (...request: Parameters<DeviceActions['act']>) => (await actions()).act(...request),
    },
    globalConnection: () => inventory.global().connection,
    /** Call within the transaction that deletes a user or a user group, and `refreshIfForgotten` after it. */
    forget(tx: Queries, gone: { readonly userId?: number; readonly groupId?: number }): void {
      clearBits(tx, gone);
      hasForgotten = true;
    },
    refreshIfForgotten(): void {
      if (hasForgotten) this.refresh();
      hasForgotten = false;
    },
    /** Reads all devices again. */
    refresh(): void {
      inventory.reload();
      reports.apply();
      context.onGroupsStored();
    },
    /** For the link: what an agent states about its device, and whether it is connected. */
    admit: join.admit,
    relink: (sn: string): void => reports.relink(sn),
    /** Number of all devices, whatever their state. */
    size: (): number => inventory.devices().size,
    /** Tells a device to send to a channel, which takes it in place of its present input. */
    async publish(
      actor: Actor,
      objects: CallerAccess,
      { deviceId, channelId }: { readonly deviceId: number; readonly channelId: number },
    ): Promise<void> {
      const own = [...inventory.devices().values()].find(({ row }) => row.id === deviceId);
      const device = objects.visible(own, 'input', deviceId);
      const { connect } = await connector();
      await connect(actor, device, { sn: device.row.sn, channel: channelId, dir: 'input', force: true });
    },
  };
}
