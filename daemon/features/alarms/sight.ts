/** Who sees which alarm: those of devices only who sees the device. */
import { isCommon } from '../../contract/alarm-severity.ts';
import type { Alarm } from '../../contract/alarms.ts';
import { groupTypes } from '../../contract/permission.ts';
import { isGranted } from '../../http/access.ts';
import type { Session } from '../../http/route.ts';

type Seen = Pick<Alarm, 'kind' | 'device'>;

interface SightDeps {
  /** Whether there is such a device, and the caller may see it. */
  readonly canSeeDevice: (session: Session, sn: string) => boolean;
  /** The devices that the common alarm of this kind is about, or was last. */
  readonly common: (kind: Alarm['kind']) => readonly string[];
}

export const isAdmin = ({ user }: Session): boolean => user.type === groupTypes.admin;

export type AlarmSight = ReturnType<typeof createAlarmSight>;

export function createAlarmSight({ canSeeDevice, common }: SightDeps) {
  /** Administrators also see the history of devices that were deleted. */
  const device = (session: Session, sn: string): boolean =>
    isAdmin(session) || (isGranted(session, 'deviceView') && canSeeDevice(session, sn));
  const alarm = (session: Session, { kind, device: sn }: Seen): boolean => {
    if (sn !== undefined) return device(session, sn);
    return !isCommon({ kind, device: sn }) || isAdmin(session) || common(kind).some((one) => device(session, one));
  };
  return {
    device,
    alarm,
    canAct: (session: Session, seen: Seen): boolean =>
      alarm(session, seen) && (isGranted(session, 'deviceControl') || (seen.device === undefined && !isCommon(seen))),
    /** Others do not learn how many devices there are that they may not see. */
    shown: (session: Session, shown: Alarm): Alarm => (isAdmin(session) ? shown : withoutNumber(shown)),
  };
}

/** The alarm without the number of devices that it is about. */
export function withoutNumber(alarm: Alarm): Alarm {
  return isCommon(alarm) ? { ...alarm, peak: alarm.threshold } : alarm;
}
