/** What happens to devices: the texts of its lines in the system log, and what the API makes of such a line. */
import type { DeviceEventWord } from '../../contract/device-states.ts';
import type { DeviceEvent } from '../../contract/devices.ts';
import type { SystemLogLine } from '../../contract/system-log.ts';

export const eventTexts = {
  applied: 'a device waits for approval',
  online: 'a device is online',
  offline: 'a device is offline',
  problem: 'a device has a problem',
  warning: 'a device warns',
  warningOver: 'a warning of a device is over',
  upgraded: 'a device has new firmware',
  upgradeFailed: 'the upgrade of a device failed',
} as const satisfies Partial<Record<DeviceEventWord, string>>;

const events = Object.keys(eventTexts) as (keyof typeof eventTexts)[];

/** At the end of a line, where no name that somebody chose can imitate it. */
const wordOf = / (?:reason|problem|warning|version)=([\w.]+)$/;

export function eventOf({ id, time, level, text }: SystemLogLine): DeviceEvent {
  // Another line may count how many there were: it says more in its own words.
  const event = events.find((one) => text.startsWith(`${eventTexts[one]} peer=`)) ?? 'other';
  const word = event === 'other' ? undefined : wordOf.exec(text)?.[1];
  return { ...{ id, time, level, text, event }, ...(word !== undefined && { word }) };
}
