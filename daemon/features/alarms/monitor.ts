/** Checks the streams once a second and stores the alarms in the database; active ones are also held in memory. */
import { isDeepStrictEqual } from 'node:util';
import type { AlarmRules, DeviceAlarmRules } from '../../contract/alarm-fields.ts';
import { isCommon, severityOf } from '../../contract/alarm-severity.ts';
import type { Alarm } from '../../contract/alarms.ts';
import { eventTopics } from '../../contract/events.ts';
import { createObjectTopic } from '../../http/topic.ts';
import { createEmitter } from '../../lib/emitter.ts';
import type { Log } from '../../lib/log.ts';
import { isNoSpace } from '../../lib/no-space.ts';
import type { MediaStatus } from '../../media/port.ts';
import { type Database, type Queries, transaction } from '../../store/database.ts';
import type { Space } from '../../store/folder-space.ts';
import { timing } from '../../timing.ts';
import { type Past, type Reading, readChannel, readHub, remember, type WatchedChannel } from './measure.ts';
import { readDevices, type WatchedDevice } from './measure-devices.ts';
import { type AlarmSight, isAdmin, withoutNumber } from './sight.ts';
import { type AlarmRow, insertAlarm, lastAlarmId, listOpenAlarms, updateAlarm } from './store.ts';
import { isTimed, keyOf, step, unwatched, type Watched, worse } from './watch.ts';

export interface MonitorDeps {
  readonly db: Database;
  readonly log: Log;
  /** Milliseconds since 1970, for display. */
  readonly now: () => number;
  /** Monotonic time in milliseconds, for measurements. */
  readonly uptime: () => number;
  readonly media: () => MediaStatus;
  readonly channels: () => readonly WatchedChannel[];
  readonly devices: () => Iterable<WatchedDevice>;
  /** Reads the free space of the data folder. */
  readonly space: () => Space;
  readonly rules: (channelId: number) => AlarmRules;
  readonly deviceRules: () => DeviceAlarmRules;
  /** Until when new alarms of the channel or device are muted; undefined: they are not. */
  readonly mutedUntil: (of: Pick<Reading, 'channel' | 'device'>) => number | undefined;
  readonly canSee: AlarmSight['alarm'];
  /** Called in the transaction that stores the change. */
  readonly tell: (tx: Queries, event: 'raised' | 'cleared', alarm: Alarm) => void;
  /** Called after that transaction. */
  readonly notified: () => void;
}

interface Active {
  readonly alarm: Alarm;
  /** When it began, in monotonic time. */
  readonly from: number;
}
interface Change {
  readonly key: string;
  readonly act: 'raised' | 'cleared' | 'grew';
  readonly alarm: Alarm;
  readonly from: number;
}

/** The newest cleared alarms, each of which the listeners of the topic get once more. */
const maxCleared = 1000;
/** Maximum number of changes that wait for space; beyond it no alarm changes. */
const maxWaiting = 1000;

export type AlarmMonitor = ReturnType<typeof createAlarmMonitor>;

export function createAlarmMonitor(deps: MonitorDeps) {
  const { db, now, uptime } = deps;
  const events = createEmitter<[ids: number[]]>();
  const active = new Map<string, Active>();
  const cleared = new Map<number, Alarm>();
  const grewAt = new Map<string, number>();
  let watched = new Map<string, Watched>();
  let pasts = new Map<number, Past>();
  let raisesFrom = Number.POSITIVE_INFINITY;
  let isFailing = false;
  let lastId = lastAlarmId(db);
  let common: ReadonlyMap<string, readonly string[]> = new Map();
  /** Changes that could not be stored for lack of space, in order. */
  let waiting: readonly Change[] = [];

  // Alarms that an earlier run of the hub raised are checked again: they continue, or are cleared.
  for (const row of listOpenAlarms(db)) {
    const alarm = viewAlarm(row);
    const key = keyOf({ ...alarm, channel: { id: alarm.channel, name: '' }, output: alarm.output });
    active.set(key, { alarm, from: uptime() - Math.max(0, now() - alarm.raised) - alarm.threshold * 1000 });
    watched.set(key, { ...unwatched, isRaised: true });
  }

  const activeAlarms = (): Alarm[] => [...active.values()].map(({ alarm }) => alarm);

  const readAll = (at: number): Reading[] => {
    const media = deps.media();
    const { engine, channels } = media;
    const isRunning = engine === 'running';
    const begins = Math.min(raisesFrom, at + timing.alarms.startMs);
    raisesFrom = isRunning ? begins : Number.POSITIVE_INFINITY;
    const nextPasts = new Map<number, Past>();
    const readings = deps.channels().flatMap((channel) => {
      const status = isRunning ? channels.get(channel.id) : undefined;
      const past = status && remember(pasts.get(channel.id), status.input, at);
      if (past) nextPasts.set(channel.id, past);
      return readChannel(channel, deps.rules(channel.id), status, past, at);
    });
    pasts = nextPasts;
    const devices = readDevices(deps.devices(), deps.deviceRules(), watched, at);
    // Who saw a common alarm sees that it is cleared.
    common = new Map([...common, ...devices.common]);
    return [...readHub(media, deps.space(), at), ...readings, ...devices.readings];
  };

  const changeOf = (key: string, reading: Reading, act: 'raise' | 'clear' | undefined, since: number, at: number) => {
    const known = active.get(key);
    if (act === 'raise') {
      const from = reading.value === undefined || !isTimed(reading) ? since : at - reading.value * 1000;
      const muted = deps.mutedUntil(reading);
      const alarm = { ...newAlarm(reading, now()), ...(muted !== undefined && { 'muted-until': muted }) };
      return { key, act: 'raised', alarm, from } as const;
    }
    if (!known) return undefined;
    if (act === 'clear') return { key, act: 'cleared', alarm: ended(known, at, now()), from: known.from } as const;
    if (reading.condition !== 'bad' || isTimed(reading) || reading.value === undefined) return undefined;
    const peak = worse(reading.kind, known.alarm.peak, reading.value);
    if (peak === known.alarm.peak || at - (grewAt.get(key) ?? 0) < timing.alarms.growthMs) return undefined;
    return { key, act: 'grew', alarm: { ...known.alarm, peak }, from: known.from } as const;
  };

  /** Who sees one of its devices sees a common alarm: with its devices, its readers change. */
  const tellReaders = (before: typeof common): void => {
    const ids = activeAlarms().flatMap((alarm) =>
      isCommon(alarm) && !isDeepStrictEqual(before.get(alarm.kind), common.get(alarm.kind)) ? [alarm.id] : [],
    );
    if (ids.length > 0) events.emit(ids);
  };

  const look = (): void => {
    const at = uptime();
    const before = common;
    const next = new Map<string, Watched>();
    const changes: Change[] = [];
    for (const reading of readAll(at)) {
      const key = keyOf(reading);
      const { after, act } = step(
        watched.get(key) ?? unwatched,
        reading,
        at,
        reading.channel.id === 0 || at >= raisesFrom,
      );
      next.set(key, after);
      const change = changeOf(key, reading, act, after.badFrom ?? at, at);
      if (change) changes.push(change);
    }
    // The channel, output or rule was deleted or disabled.
    for (const [key, known] of active) {
      if (!next.has(key)) changes.push({ key, act: 'cleared', alarm: ended(known, at, now()), from: known.from });
    }
    if (changes.length + waiting.length > 0 && !store(changes, at)) return;
    watched = next;
    tellReaders(before);
  };

  /** Alarms are numbered here, so that they have an id even while they cannot be stored. */
  const numbered = (changes: readonly Change[]): Change[] => {
    let id = lastId;
    return changes.map((change) =>
      change.act === 'raised' ? { ...change, alarm: { ...change.alarm, id: ++id } } : change,
    );
  };

  /**
   * Returns false if the changes cannot be stored: they are then discarded, and the next check finds them again. If the
   * disk is full, they take effect anyway and are stored once there is space: the lack of space is an alarm itself.
   */
  const save = (changes: readonly Change[]): boolean => {
    const all = [...waiting, ...changes];
    try {
      transaction<void>(db, (tx) => {
        for (const change of all) write(tx, change, deps.tell);
      });
      isFailing = false;
      waiting = [];
    } catch (error) {
      if (!isFailing) deps.log.error('alarms can’t be stored', { reason: String(error) });
      isFailing = true;
      if (!isNoSpace(error) || all.length > maxWaiting) return false;
      waiting = all;
    }
    return true;
  };

  const store = (found: readonly Change[], at: number): boolean => {
    const changes = numbered(found);
    if (!save(changes)) return false;
    lastId = Math.max(lastId, ...changes.map(({ alarm }) => alarm.id));
    for (const { key, act, alarm, from } of changes) {
      if (act === 'cleared') active.delete(key);
      else active.set(key, { alarm, from });
      if (act === 'cleared') grewAt.delete(key);
      else grewAt.set(key, at);
      if (act !== 'grew')
        deps.log.info(`alarm ${act}`, {
          ...{ kind: alarm.kind, channel: alarm.name, output: alarm.output?.name, reason: alarm.reason },
          ...(alarm.device !== undefined && { peer: alarm.device }),
        });
    }
    if (waiting.length === 0) deps.notified();
    if (changes.length === 0) return true;
    for (const { act, alarm } of changes) if (act === 'cleared') cleared.set(alarm.id, alarm);
    for (const id of cleared.keys()) if (cleared.size > maxCleared) cleared.delete(id);
    events.emit(changes.map(({ alarm }) => alarm.id));
    return true;
  };

  /** Changes active alarms. `record` runs in the same transaction, with the changed alarms. */
  const change = (
    isMeant: (alarm: Alarm) => boolean,
    edit: (alarm: Alarm) => Alarm,
    record: (tx: Queries, changed: readonly Alarm[]) => void,
  ): void => {
    const meant = [...active].filter(([, { alarm }]) => isMeant(alarm));
    const changed = meant.map(([key, known]) => [key, { ...known, alarm: edit(known.alarm) }] as const);
    const alarms = changed.map(([, { alarm }]) => alarm);
    transaction<void>(db, (tx) => {
      for (const alarm of alarms) updateAlarm(tx, alarm.id, actsOf(alarm));
      record(tx, alarms);
    });
    for (const [key, known] of changed) active.set(key, known);
    // An alarm that is not in the database yet is stored as changed.
    const ids = new Set(alarms.map(({ id }) => id));
    waiting = waiting.map((one) => (ids.has(one.alarm.id) ? { ...one, alarm: edit(one.alarm) } : one));
    events.emit(alarms.map(({ id }) => id));
  };

  return {
    /** Checks the streams once. */
    look,
    change,
    active: activeAlarms,
    /** The devices that the common alarm of this kind is about, or was last. */
    common: (kind: Alarm['kind']): readonly string[] => common.get(kind) ?? [],
    /** Current state of the alarms that could not be stored for lack of space. */
    unsaved: (): Alarm[] => [...new Map(waiting.map(({ alarm }) => [alarm.id, alarm])).values()],
    topic: createObjectTopic<Alarm>({
      name: 'alarms',
      scope: eventTopics.alarms,
      all: activeAlarms,
      find: (id) => cleared.get(Number(id)) ?? activeAlarms().find((alarm) => alarm.id === id),
      keyOf: ({ id }) => id,
      isLast: ({ cleared }) => cleared !== 0,
      canSee: deps.canSee,
      redaction: { unless: isAdmin, redact: withoutNumber },
      watch: events.on,
    }),
  };
}

function newAlarm(reading: Reading, raised: number): Alarm {
  const { kind, channel, device, output, reason, threshold, value } = reading;
  const peak = value === undefined ? threshold : value;
  const of = {
    ...(device !== undefined && { device }),
    ...(output && { output }),
    ...(reason !== undefined && { reason }),
  };
  const severity = severityOf(kind);
  return { id: 0, kind, severity, channel: channel.id, name: channel.name, ...of, threshold, peak, raised, cleared: 0 };
}

function ended({ alarm, from }: Active, at: number, cleared: number): Alarm {
  const peak = isTimed(alarm) ? Math.max(alarm.peak, Math.round((at - from) / 1000)) : alarm.peak;
  return { ...alarm, peak, cleared };
}

function write(tx: Queries, { act, alarm }: Change, tell: MonitorDeps['tell']): void {
  if (act === 'raised') insertAlarm(tx, rowOf(alarm));
  else updateAlarm(tx, alarm.id, { peak: alarm.peak, ...(act === 'cleared' && { clearedAt: alarm.cleared }) });
  if (act !== 'grew') tell(tx, act, alarm);
}

function actsOf({ acknowledged, 'muted-until': until }: Alarm) {
  return { seenBy: acknowledged?.by ?? '', seenAt: acknowledged?.time ?? 0, mutedUntil: until ?? null };
}

function rowOf(alarm: Alarm): AlarmRow {
  const { id, kind, channel, name, device = '', output, reason = '', threshold, peak, raised } = alarm;
  return {
    ...{ id, kind, reason, threshold, peak, channelId: channel, channelName: name, device },
    ...{ outputId: output?.id ?? 0, outputName: output?.name ?? '' },
    ...{ raisedAt: raised, clearedAt: null },
    ...actsOf(alarm),
  };
}

export function viewAlarm(row: AlarmRow): Alarm {
  return {
    ...{ id: row.id, kind: row.kind, severity: severityOf(row.kind), channel: row.channelId, name: row.channelName },
    ...(row.device !== '' && { device: row.device }),
    ...(row.outputId !== 0 && { output: { id: row.outputId, name: row.outputName } }),
    ...(row.reason !== '' && { reason: row.reason }),
    ...{ threshold: row.threshold, peak: row.peak, raised: row.raisedAt, cleared: row.clearedAt ?? 0 },
    ...(row.seenBy !== '' && { acknowledged: { by: row.seenBy, time: row.seenAt } }),
    ...(row.mutedUntil !== null && { 'muted-until': row.mutedUntil }),
  };
}
