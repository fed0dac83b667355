/** How severe each kind of alarm is, and which are common to devices. Free of schemas, because the console's dashboard loads it. */
import type { Alarm, AlarmKind } from './alarms.ts';

/** `critical`: the program is lost. `warning`: it runs on, but degraded or without a reserve. */
export const alarmSeverities = ['critical', 'warning'] as const;
export type AlarmSeverity = (typeof alarmSeverities)[number];

const critical: ReadonlySet<AlarmKind> = new Set(['no-input', 'no-video', 'on-slate', 'engine-down']);

export function severityOf(kind: AlarmKind): AlarmSeverity {
  return critical.has(kind) ? 'critical' : 'warning';
}

/** Whether it is the alarm that many devices with the same fault have in common. */
export function isCommon({ kind, device }: { readonly kind: AlarmKind; readonly device?: Alarm['device'] }): boolean {
  return device === undefined && kind.startsWith('device-');
}
