/** How severe each kind of alarm is. Free of schemas, because the console's dashboard loads it. */
import type { AlarmKind } from './alarms.ts';

/** `critical`: the program is lost. `warning`: it runs on, but degraded or without a reserve. */
export const alarmSeverities = ['critical', 'warning'] as const;
export type AlarmSeverity = (typeof alarmSeverities)[number];

const critical: ReadonlySet<AlarmKind> = new Set(['no-input', 'no-video', 'on-slate', 'engine-down']);

export function severityOf(kind: AlarmKind): AlarmSeverity {
  return critical.has(kind) ? 'critical' : 'warning';
}
