/** What the hub knows of each device at present. Tells the fleet which to poll, and the system log what happens. */
import type { DeviceFacts } from '../../contract/device-facts.ts';
import type { DeviceProblemWord } from '../../contract/device-problems.ts';
import { offlineProblems, regStates } from '../../contract/device-states.ts';
import type { DeviceSession, StreamUse } from '../../devices/driver.ts';
import type { DevicePorts } from '../../devices/ports.ts';
import { DeviceProblem } from '../../devices/problem.ts';
import type { DeviceConnection, DeviceHistory, Fleet, FleetDevice, KeptDevice } from '../../devices/report.ts';
import { createEmitter } from '../../lib/emitter.ts';
import type { Log } from '../../lib/log.ts';
import { foldRepeats } from '../../lib/log-repeats.ts';
import { inputIdOf, type PulledSource } from '../../sources/stream-device.ts';
import type { Secrets } from '../../store/secrets.ts';
import { openStream } from '../../store/stored-address.ts';
import { eventTexts } from './events.ts';
import type { Inventory, OwnDevice } from './inventory.ts';
import { offline, refusalOf } from './problem-result.ts';
import type { DeviceRow } from './store.ts';
import { snapshotPlace, streamDevice } from './stream-rows.ts';
import { createWatched } from './watched.ts';

export interface Report {
  readonly connection: DeviceConnection;
  /** Milliseconds since 1970; 0 for devices that are not polled. */
  readonly since: number;
  readonly problem?: { readonly word: DeviceProblemWord; readonly message: string } | undefined;
  readonly facts?: DeviceFacts | undefined;
  /** When it is expected to answer again, in milliseconds since 1970; while it restarts. */
  readonly pauseUntil?: number | undefined;
}

/** What the log has of a device. */
interface Told {
  readonly connection: DeviceConnection;
  readonly problem: DeviceProblemWord | undefined;
  readonly warnings: DeviceFacts['warnings'];
}

interface ReportDeps {
  readonly inventory: Inventory;
  readonly ports: DevicePorts;
  readonly isOn: boolean;
  readonly secrets: Pick<Secrets, 'open'>;
  readonly log: Log;
  readonly now: () => number;
}

const notAsked: Report = { connection: 'offline', since: 0 };
const over: Report = {
  ...notAsked,
  problem: { word: 'overLicense', message: 'the license allows fewer devices than are accepted' },
};
const repeatsMs = 60_000;
/** Many links begin at the same time when the hub has started. */
const linksMs = 100;

/** Whether it needs attention: an offline device says so by itself. */
export const isHubWarning = (problem: Report['problem']): boolean =>
  problem !== undefined && !offlineProblems.includes(problem.word);

type InSession<T> = (session: DeviceSession, signal: AbortSignal) => Promise<T>;

export type Reports = ReturnType<typeof createReports>;

export function createReports({ inventory, ports, isOn, secrets, log, now }: ReportDeps) {
  const folded = foldRepeats(log, { windowMs: repeatsMs, now });
  const changes = createEmitter<[sns: readonly string[]]>();
  /** By serial number, with the row that each was made of. */
  let asked = new Map<string, { readonly row: DeviceRow; readonly device: FleetDevice; readonly way: string }>();
  let loading: Promise<Fleet> | undefined;
  let fleet: Fleet | undefined;
  let stopWatching = () => {};
  let isClosed = false;
  let applying: ReturnType<typeof setTimeout> | undefined;
  const told = new Map<string, Told>();
  /** Begin to hold devices as soon as the fleet is loaded: pages of a restarted hub may be earlier. */
  const waitingHolds = new Set<() => void>();
  const hold: Fleet['hold'] = (sns) => {
    if (fleet !== undefined) return fleet.hold(sns);
    let release = () => {};
    const begin = () => {
      release = fleet?.hold(sns) ?? release;
    };
    waitingHolds.add(begin);
    return () => {
      waitingHolds.delete(begin);
      release();
    };
  };
  const watched = createWatched(hold);

  /** The way to a device; it stays the same object until it changes. */
  const wayOf = (row: DeviceRow) => {
    const { sn, link, address, pin } = row;
    const way = [link, address, pin, row.stream, row.oscPort].join('\n');
    const known = asked.get(sn);
    if (known?.way === way) return { way, transport: known.device.transport, described: known.device.described };
    const opened = openStream(secrets, row.stream);
    const place = opened ? snapshotPlace(opened).address : address;
    const transport = ports.transportTo({ sn, link, address: place, pin });
    const osc = row.oscPort === null ? undefined : ports.oscOf({ sn, name: row.name }, address, row.oscPort);
    const described = opened === undefined ? osc : ports.streamOf(streamDevice(row, opened), inputIdOf(row.id));
    return { way, transport, described };
  };
  const fleetDevice = (row: DeviceRow) => {
    const known = asked.get(row.sn);
    if (known?.row === row) return known;
    const credentials = { user: row.user, password: row.password === null ? '' : secrets.open(row.password) };
    const { way, transport, described } = wayOf(row);
    return { row, way, device: { sn: row.sn, api: row.api, credentials, transport, ...(described && { described }) } };
  };
  const isAsked = ({ row }: OwnDevice) => row.regState === regStates.accepted && !inventory.isOver(row.sn);

  const onNews = (sns: readonly string[]): void => {
    for (const sn of sns) tell(sn);
    changes.emit(sns);
  };
  /** Logs what is new about the device. */
  const tell = (sn: string): void => {
    const own = inventory.devices().get(sn);
    const report = fleet?.report(sn);
    if (own === undefined || report === undefined) {
      told.delete(sn);
      return;
    }
    const { connection, facts } = report;
    const problem = isHubWarning(report.problem) ? report.problem?.word : undefined;
    const before = told.get(sn);
    // What a device warned of when it was last online is still so.
    const warnings = connection === 'online' ? (facts?.warnings ?? []) : (before?.warnings ?? []);
    told.set(sn, { connection, problem, warnings });
    const fields = { peer: sn, device: own.row.name };
    if (connection === 'online' && before?.connection !== 'online') folded.log.info(eventTexts.online, fields);
    if (connection === 'offline' && before?.connection !== 'offline') {
      folded.log.warn(eventTexts.offline, { ...fields, reason: report.problem?.word ?? 'unknown' });
    }
    if (problem !== undefined && problem !== before?.problem) {
      folded.log.warn(eventTexts.problem, { ...fields, problem });
    }
    for (const warning of warnings) {
      if (!before?.warnings.includes(warning)) folded.log.warn(eventTexts.warning, { ...fields, warning });
    }
    for (const warning of before?.warnings ?? []) {
      if (!warnings.includes(warning)) folded.log.info(eventTexts.warningOver, { ...fields, warning });
    }
  };
  const load = async (): Promise<Fleet> => {
    const loaded = await ports.loadFleet();
    if (isClosed) {
      await loaded.close();
      return loaded;
    }
    fleet = loaded;
    stopWatching = loaded.watch(onNews);
    loaded.apply([...asked.values()].map(({ device }) => device));
    for (const begin of waitingHolds) begin();
    waitingHolds.clear();
    return loaded;
  };

  const inSession = async <T>({ row: { sn, name } }: OwnDevice, work: (fleet: Fleet) => Promise<T>): Promise<T> => {
    if (fleet?.report(sn)?.connection !== 'online') throw offline(name);
    try {
      return await work(fleet);
    } catch (error) {
      throw refusalOf(error, name);
    }
  };

  return {
    /** Polls the accepted devices from now on, and no others. */
    apply(): void {
      if (!isOn) return;
      const accepted = [...inventory.devices().values()].filter(isAsked);
      asked = new Map(accepted.map(({ row }) => [row.sn, fleetDevice(row)]));
      if (fleet) fleet.apply([...asked.values()].map(({ device }) => device));
      else if (asked.size > 0 && loading === undefined) {
        loading = load();
        loading.catch((error) => log.error('the devices cannot be polled', { reason: String(error) }));
      }
    },
    /** With the next `apply`, the device is asked as one that was just added, whatever its problem was. */
    beginAgain: (sn: string): boolean => asked.delete(sn),
    /** The link of this device started or ended: it is polled at once. */
    relink(sn: string): void {
      if (!this.beginAgain(sn)) return;
      applying ??= setTimeout(() => {
        applying = undefined;
        this.apply();
      }, linksMs);
    },
    of({ row: { sn, regState } }: OwnDevice): Report {
      if (regState !== regStates.accepted) return notAsked;
      if (inventory.isOver(sn)) return over;
      return fleet?.report(sn) ?? { connection: 'connecting', since: 0 };
    },
    /** Polls these devices every second until the returned function is called. */
    hold,
    history: (sn: string, steps: number): DeviceHistory | undefined => fleet?.history(sn, steps),
    /** Polls the device every second for some time. */
    look: watched.look,
    /** Returns a JPEG of the device. Rejects with a `DeviceProblem`. */
    async picture(sn: string): Promise<Uint8Array> {
      if (fleet === undefined) throw new DeviceProblem('unreachable', 'the devices are not polled yet');
      return await fleet.picture(sn);
    },
    /** Returns the stream that the hub can open. Rejects with a `DeviceProblem`. */
    async stream(sn: string, use: StreamUse): Promise<PulledSource | undefined> {
      return await fleet?.stream(sn, use);
    },
    /** Runs an act on a device that is online. Throws `clientOffline` for another, and the result of its problem. */
    act: <T>(own: OwnDevice, act: InSession<T>): Promise<T> => inSession(own, (fleet) => fleet.act(own.row.sn, act)),
    renamed: (sn: string, name: string): void => fleet?.renamed(sn, name),
    /** The same as `act` for a read. */
    ask: <T>(own: OwnDevice, read: InSession<T>): Promise<T> => inSession(own, (fleet) => fleet.ask(own.row.sn, read)),
    /** As `Fleet.keep`, also of a device that is not online, as soon as the devices are polled at all. */
    async keep(sn: string): Promise<KeptDevice> {
      const loaded = await loading;
      if (loaded === undefined) throw new DeviceProblem('unsupported', 'this hub does not manage devices');
      return loaded.keep(sn);
    },
    /** Calls back with the serial numbers of devices whose reports may have changed. */
    onChange: changes.on,
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(applying);
      stopWatching();
      watched.close();
      folded.flush();
      await fleet?.close();
    },
  };
}
