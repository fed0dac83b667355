/** Looks at the streams once a second, and keeps the alarms: in the database, and those that are active in memory. */

import type { Alarm, AlarmRules } from '../../contract/alarms.ts';
import type { AlarmsEvent } from '../../contract/events.ts';
import type { TopicSource } from '../../http/topic.ts';
import type { Log } from '../../lib/log.ts';
import type { MediaStatus } from '../../media/port.ts';
import { type Database, type Queries, transaction } from '../../store/database.ts';
import { timing } from '../../timing.ts';
import { type Past, type Reading, readChannel, readEngine, remember, type WatchedChannel } from './measure.ts';
import { type AlarmRow, insertAlarm, listOpenAlarms, updateAlarm } from './store.ts';
import { isTimed, keyOf, step, unwatched, type Watched, worse } from './watch.ts';

export interface MonitorDeps {
  readonly db: Database;
  readonly log: Log;
  /** Milliseconds since 1970, for what people read. */
  readonly now: () => number;
  /** Milliseconds of a clock that never jumps, for what is measured. */
  readonly uptime: () => number;
  readonly media: () => MediaStatus;
  readonly channels: () => readonly WatchedChannel[];
  readonly rules: (channelId: number) => AlarmRules;
  /** Part of the transaction that stores what happened. */
  readonly tell: (tx: Queries, event: 'raised' | 'cleared', alarm: Alarm) => void;
  /** After that transaction. */
  readonly told: () => void;
}

export interface AlarmMonitor {
  /** One look. */
  look(): void;
  readonly topic: TopicSource<'alarms'>;
}

interface Active {
  readonly alarm: Alarm;
  /** When it began, by the clock that never jumps. */
  readonly from: number;
}
interface Change {
  readonly key: string;
  readonly act: 'raised' | 'cleared' | 'grew';
  readonly alarm: Alarm;
  readonly from: number;
}

export function createAlarmMonitor(deps: MonitorDeps): AlarmMonitor {
  const { db, now, uptime } = deps;
  const listeners = new Set<(event: AlarmsEvent) => void>();
  const active = new Map<string, Active>();
  const grewAt = new Map<string, number>();
  let watched = new Map<string, Watched>();
  let pasts = new Map<number, Past>();
  let raisesFrom = Number.POSITIVE_INFINITY;
  let isFailing = false;

  // What an earlier hub raised is looked at anew: it goes on, or is cleared.
  for (const row of listOpenAlarms(db)) {
    const alarm = viewAlarm(row);
    const key = keyOf({ kind: alarm.kind, channel: { id: alarm.channel, name: '' }, output: alarm.output });
    active.set(key, { alarm, from: uptime() - Math.max(0, now() - alarm.raised) - alarm.threshold * 1000 });
    watched.set(key, { ...unwatched, isRaised: true });
  }

  const readAll = (at: number): Reading[] => {
    const { engine, channels } = deps.media();
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
    return [readEngine(isRunning), ...readings];
  };

  const changeOf = (key: string, reading: Reading, act: 'raise' | 'clear' | undefined, since: number, at: number) => {
    const known = active.get(key);
    if (act === 'raise') {
      const from = reading.value === undefined || !isTimed(reading.kind) ? since : at - reading.value * 1000;
      return { key, act: 'raised', alarm: newAlarm(reading, now()), from } as const;
    }
    if (!known) return undefined;
    if (act === 'clear') return { key, act: 'cleared', alarm: ended(known, at, now()), from: known.from } as const;
    if (reading.verdict !== 'bad' || isTimed(reading.kind) || reading.value === undefined) return undefined;
    const peak = worse(reading.kind, known.alarm.peak, reading.value);
    if (peak === known.alarm.peak || at - (grewAt.get(key) ?? 0) < timing.alarms.growthMs) return undefined;
    return { key, act: 'grew', alarm: { ...known.alarm, peak }, from: known.from } as const;
  };

  const look = (): void => {
    const at = uptime();
    const next = new Map<string, Watched>();
    const changes: Change[] = [];
    for (const reading of readAll(at)) {
      const key = keyOf(reading);
      const before = watched.get(key) ?? unwatched;
      const { after, act } = step(before, reading, at, reading.kind === 'engine-down' || at >= raisesFrom);
      next.set(key, after);
      const change = changeOf(key, reading, act, after.badFrom ?? at, at);
      if (change) changes.push(change);
    }
    // Its channel, output or rule is gone or switched off.
    for (const [key, known] of active) {
      if (!next.has(key)) changes.push({ key, act: 'cleared', alarm: ended(known, at, now()), from: known.from });
    }
    if (changes.length > 0 && !store(changes, at)) return;
    watched = next;
  };

  /** False when it can't be stored: then nothing happened, and the next look finds it again. */
  const store = (changes: Change[], at: number): boolean => {
    let stored: Change[];
    try {
      stored = transaction<Change[]>(db, (tx) => changes.map((change) => write(tx, change, deps.tell)));
      isFailing = false;
    } catch (error) {
      if (!isFailing) deps.log.error('alarms can’t be stored', { reason: String(error) });
      isFailing = true;
      return false;
    }
    for (const { key, act, alarm, from } of stored) {
      if (act === 'cleared') active.delete(key);
      else active.set(key, { alarm, from });
      if (act === 'cleared') grewAt.delete(key);
      else grewAt.set(key, at);
      if (act !== 'grew')
        deps.log.info(`alarm ${act}`, { kind: alarm.kind, channel: alarm.name, output: alarm.output?.name });
    }
    deps.told();
    for (const listener of listeners) listener({ changed: stored.map(({ alarm }) => alarm) });
    return true;
  };

  return {
    look,
    topic: {
      topic: 'alarms',
      init: () => ({ changed: [...active.values()].map(({ alarm }) => alarm) }),
      subscribe(listener) {
        const own = (event: AlarmsEvent) => listener(event);
        listeners.add(own);
        return () => listeners.delete(own);
      },
    },
  };
}

function newAlarm({ kind, channel, output, threshold, value }: Reading, raised: number): Alarm {
  const peak = value === undefined ? threshold : value;
  const of = output && { output };
  return { id: 0, kind, channel: channel.id, name: channel.name, ...of, threshold, peak, raised, cleared: 0 };
}

function ended({ alarm, from }: Active, at: number, cleared: number): Alarm {
  const peak = isTimed(alarm.kind) ? Math.max(alarm.peak, Math.round((at - from) / 1000)) : alarm.peak;
  return { ...alarm, peak, cleared };
}

function write(tx: Queries, change: Change, tell: MonitorDeps['tell']): Change {
  const { act, alarm } = change;
  if (act === 'raised') {
    const raised = { ...alarm, id: insertAlarm(tx, rowOf(alarm)) };
    tell(tx, act, raised);
    return { ...change, alarm: raised };
  }
  updateAlarm(tx, alarm.id, { peak: alarm.peak, ...(act === 'cleared' && { clearedAt: alarm.cleared }) });
  if (act === 'cleared') tell(tx, act, alarm);
  return change;
}

function rowOf({ kind, channel, name, output, threshold, peak, raised }: Alarm): Omit<AlarmRow, 'id'> {
  return {
    ...{ kind, threshold, peak, channelId: channel, channelName: name },
    ...{ outputId: output?.id ?? 0, outputName: output?.name ?? '' },
    ...{ raisedAt: raised, clearedAt: null },
  };
}

export function viewAlarm(row: AlarmRow): Alarm {
  return {
    ...{ id: row.id, kind: row.kind, channel: row.channelId, name: row.channelName },
    ...(row.outputId !== 0 && { output: { id: row.outputId, name: row.outputName } }),
    ...{ threshold: row.threshold, peak: row.peak, raised: row.raisedAt, cleared: row.clearedAt ?? 0 },
  };
}
