/** What users do with active alarms: acknowledge and mute them. */
import type { Alarm, alarmApi } from '../../contract/alarms.ts';
import type { BodyOf } from '../../contract/endpoint.ts';
import type { OperationChange } from '../../contract/logs.ts';
import type { Actor } from '../../http/route.ts';
import { fieldError } from '../../lib/hub-error.ts';
import { notExist } from '../../lib/refusals.ts';
import type { Database, Queries } from '../../store/database.ts';
import { channelRows } from '../../store/rows.ts';
import type { Audit } from '../logs/audit.ts';
import type { AlarmMonitor } from './monitor.ts';
import { listMutes, writeMute } from './store.ts';

interface AlarmActsDeps {
  readonly db: Database;
  readonly audit: Audit;
  readonly now: () => number;
  readonly monitor: () => Pick<AlarmMonitor, 'change' | 'active'>;
}

type Target = BodyOf<typeof alarmApi.unmute>;
const minuteMs = 60_000;

const mutedFor = (value: string | undefined): OperationChange[] =>
  value === undefined ? [] : [{ word: 'mutedFor', value }];

export function createAlarmActs({ db, audit, now, monitor }: AlarmActsDeps) {
  let mutes = listMutes(db);

  const record = (tx: Queries, actor: Actor, action: string, { name, kind }: Alarm, value?: string): void => {
    audit.record(tx, actor, { action, subject: name, changes: [{ word: 'alarm', value: kind }, ...mutedFor(value)] });
  };

  /** Mutes the alarms of the target until a time (0: until they are cleared), or ends that (undefined). */
  const setMute = (actor: Actor, { id, channel }: Target, until: number | undefined, minutes: number): void => {
    if ((id === undefined) === (channel === undefined)) throw fieldError('id', 'conflict', 'give either id or channel');
    const { active, change } = monitor();
    if (id !== undefined && !active().some((alarm) => alarm.id === id)) throw notExist('active alarm', id);
    const subject = channel === undefined || channel === 0 ? '' : channelRows.existing(db, channel).name;
    const action = until === undefined ? 'alarm.unmute' : 'alarm.mute';
    const value = until === undefined ? undefined : String(minutes);
    const edit = ({ 'muted-until': _, ...alarm }: Alarm): Alarm => ({
      ...alarm,
      ...(until !== undefined && { 'muted-until': until }),
    });
    const isMeant = (alarm: Alarm) => alarm.id === id || alarm.channel === channel;
    change(isMeant, edit, (tx, changed) => {
      if (channel === undefined) {
        for (const alarm of changed) record(tx, actor, action, alarm, value);
        return;
      }
      writeMute(tx, channel, until === 0 ? undefined : until, now());
      audit.record(tx, actor, { action, subject, changes: mutedFor(value) });
    });
    mutes = listMutes(db);
  };

  return {
    /** Until when new alarms of the channel are muted; undefined: they are not. */
    mutedUntil(channelId: number): number | undefined {
      const until = mutes.get(channelId);
      return until !== undefined && until > now() ? until : undefined;
    },
    acknowledge(actor: Actor, { id }: BodyOf<typeof alarmApi.acknowledge>): void {
      const ids = new Set([id].flat());
      const acknowledged = { by: actor.name, time: now() };
      const isMeant = (alarm: Alarm) => ids.has(alarm.id) && alarm.acknowledged === undefined;
      monitor().change(
        isMeant,
        (alarm) => ({ ...alarm, acknowledged }),
        (tx, changed) => {
          for (const alarm of changed) record(tx, actor, 'alarm.acknowledge', alarm);
        },
      );
    },
    mute(actor: Actor, { minutes, ...target }: BodyOf<typeof alarmApi.mute>): void {
      setMute(actor, target, minutes === undefined ? 0 : now() + minutes * minuteMs, minutes ?? 0);
    },
    unmute: (actor: Actor, target: Target): void => setMute(actor, target, undefined, 0),
  };
}
