import { canEver } from '../../../../../daemon/contract/device-actions.ts';
import { DeviceName } from '../../../../../daemon/contract/device-fields.ts';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { limits } from '../../../../../daemon/contract/limits.ts';
import { isDate, isTime, type ScheduleAction, scheduleParts } from '../../../../../daemon/contract/schedule-fields.ts';
import type { ScheduleConfig } from '../../../../../daemon/contract/schedules.ts';
import { type FieldFaults, faultAt } from '../../../ui/form/schema-form.ts';
import type { WholeSchedule } from './schedule-calls.ts';

export interface ScheduleValues {
  readonly name: string;
  readonly action: ScheduleAction;
  /** Empty: that part is not done. */
  readonly start: string;
  readonly stop: string;
  readonly repeat: 'weekly' | 'once';
  readonly days: readonly number[];
  readonly date: string;
  readonly sn: readonly string[];
  readonly enabled: boolean;
}

export const allDays = [1, 2, 3, 4, 5, 6, 7] as const;

export function scheduleValues(stored: WholeSchedule | undefined): ScheduleValues {
  if (stored === undefined) {
    return {
      ...{ name: '', action: 'record', start: '', stop: '', repeat: 'weekly', days: allDays.slice(0, 5), date: '' },
      ...{ sn: [], enabled: true },
    };
  }
  const { name, action, start = '', stop = '', days = [], date = '', sn, enabled } = stored;
  return { name, action, start, stop, repeat: date === '' ? 'weekly' : 'once', days, date, sn, enabled };
}

export function checkSchedule(values: ScheduleValues): FieldFaults {
  const { name, start, stop, repeat, days, date, sn } = values;
  const isTyped = (time: string) => time === '' || isTime(time);
  return {
    ...faultAt('name', DeviceName, name),
    ...(start === '' && stop === '' && { start: 'required' }),
    ...(!isTyped(start) && { start: 'time' }),
    ...(!isTyped(stop) && { stop: 'time' }),
    ...(start !== '' && start === stop && { stop: 'sameTime' }),
    ...(repeat === 'weekly' && days.length === 0 && { days: 'required' }),
    ...(repeat === 'once' && !isDate(date) && { date: date === '' ? 'required' : 'date' }),
    ...(sn.length === 0 && { sn: 'required' }),
    ...(sn.length > limits.schedules.devices && { sn: `atMost:${limits.schedules.devices}` }),
  };
}

export function scheduleConfig(values: ScheduleValues): ScheduleConfig {
  const { name, action, start, stop, repeat, days, date, sn, enabled } = values;
  return {
    ...{ name, action, enabled, sn: [...sn] },
    ...(start !== '' && { start }),
    ...(stop !== '' && { stop }),
    ...(repeat === 'weekly' ? { days: [...days] } : { date }),
  };
}

/** Whether the schedule can ever do that with the device. */
export function canDo(
  device: Device,
  { action, start, stop }: Pick<ScheduleValues, 'action' | 'start' | 'stop'>,
): boolean {
  const times = { start, stop };
  const parts = scheduleParts.filter((part) => times[part] !== '');
  return (parts.length === 0 ? scheduleParts : parts).every((part) => canEver(device, `${action}-${part}`));
}
