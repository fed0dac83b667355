/** What users do with active alarms: acknowledge and mute them. */
import type { Alarm, alarmApi } from '../../contract/alarms.ts';
import type { BodyOf } from '../../contract/endpoint.ts';
import type { OperationChange } from '../../contract/logs.ts';
import type { Actor, Session } from '../../http/route.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import { notExist } from '../../lib/refusals.ts';
import type { Database, Queries } from '../../store/database.ts';
import { channelRows } from '../../store/rows.ts';
import type { Audit } from '../logs/audit.ts';
import type { Reading } from './measure.ts';
import type { AlarmMonitor } from './monitor.ts';
import type { AlarmSight } from './sight.ts';
import { listDeviceMutes, listMutes, writeDeviceMute, writeMute } from './store.ts';

interface AlarmActsDeps {
  readonly db: Database;
  readonly audit: Audit;
  readonly now: () => number;
  readonly monitor: () => Pick<AlarmMonitor, 'change' | 'active'>;
  readonly canAct: AlarmSight['canAct'];
  /** Throws if there is no such device, or the caller may not see it. */
  readonly deviceName: (session: Session, sn: string) => string;
}

type Target = BodyOf<typeof alarmApi.unmute>;
const minuteMs = 60_000;

interface Caller {
  readonly actor: Actor;
  readonly session: Session;
}

const isOfChannel = (alarm: Alarm, channel: number | undefined) =>
  alarm.channel === channel && alarm.device === undefined;

const mutedFor = (value: string | undefined): OperationChange[] =>
  value === undefined ? [] : [{ word: 'mutedFor', value }];

export function createAlarmActs({ db, audit, now, monitor, canAct, deviceName }: AlarmActsDeps) {
  let mutes = listMutes(db);
  let deviceMutes = listDeviceMutes(db);

  const record = (tx: Queries, actor: Actor, action: string, { name, kind }: Alarm, value?: string): void => {
    audit.record(tx, actor, { action, subject: name, changes: [{ word: 'alarm', value: kind }, ...mutedFor(value)] });
  };

  /** Mutes the alarms of the target until a time (0: until they are cleared), or ends that (undefined). */
  const setMute = (
    { actor, session }: Caller,
    { id, channel, device }: Target,
    { until, minutes }: { readonly until: number | undefined; readonly minutes: number },
  ): void => {
    if ([id, channel, device].filter((part) => part !== undefined).length !== 1) {
      throw fieldError('id', 'conflict', 'send one of id, channel and device');
    }
    const { active, change } = monitor();
    const isKnown = (alarm: Alarm) => alarm.id === id && canAct(session, alarm);
    if (id !== undefined && !active().some(isKnown)) throw notExist('active alarm', id);
    const subject = subjectOf(session, { channel, device });
    const action = until === undefined ? 'alarm.unmute' : 'alarm.mute';
    const value = until === undefined ? undefined : String(minutes);
    const edit = ({ 'muted-until': _, ...alarm }: Alarm): Alarm => ({
      ...alarm,
      ...(until !== undefined && { 'muted-until': until }),
    });
    const isOf = (alarm: Alarm) =>
      alarm.id === id || (device === undefined ? isOfChannel(alarm, channel) : alarm.device === device);
    const isMeant = (alarm: Alarm) => isOf(alarm) && canAct(session, alarm);
    const later = until === 0 ? undefined : until;
    change(isMeant, edit, (tx, changed) => {
      if (id !== undefined) {
        for (const alarm of changed) record(tx, actor, action, alarm, value);
        return;
      }
      if (channel !== undefined) writeMute(tx, channel, later, now());
      if (device !== undefined) writeDeviceMute(tx, device, later, now());
      audit.record(tx, actor, { action, subject, changes: mutedFor(value) });
    });
    mutes = listMutes(db);
    deviceMutes = listDeviceMutes(db);
  };
  const subjectOf = (session: Session, { channel, device }: Omit<Target, 'id'>): string => {
    if (device === undefined)
      return channel === undefined || channel === 0 ? '' : channelRows.existing(db, channel).name;
    const name = deviceName(session, device);
    if (!canAct(session, { kind: 'device-offline', device }))
      throw new HubError('notPermitted', 'requires the permission deviceControl');
    return name;
  };

  return {
    /** Until when new alarms of the channel or device are muted; undefined: they are not. */
    mutedUntil({ channel, device }: Pick<Reading, 'channel' | 'device'>): number | undefined {
      const until = device === undefined ? mutes.get(channel.id) : deviceMutes.get(device);
      return until !== undefined && until > now() ? until : undefined;
    },
    acknowledge({ actor, session }: Caller, { id }: BodyOf<typeof alarmApi.acknowledge>): void {
      const ids = new Set([id].flat());
      const acknowledged = { by: actor.name, time: now() };
      const isMeant = (alarm: Alarm) => ids.has(alarm.id) && alarm.acknowledged === undefined && canAct(session, alarm);
      monitor().change(
        isMeant,
        (alarm) => ({ ...alarm, acknowledged }),
        (tx, changed) => {
          for (const alarm of changed) record(tx, actor, 'alarm.acknowledge', alarm);
        },
      );
    },
    mute(caller: Caller, { minutes, ...target }: BodyOf<typeof alarmApi.mute>): void {
      const until = minutes === undefined ? 0 : now() + minutes * minuteMs;
      setMute(caller, target, { until, minutes: minutes ?? 0 });
    },
    unmute: (caller: Caller, target: Target): void => setMute(caller, target, { until: undefined, minutes: 0 }),
  };
}
