/** Which of the chosen devices can do something now, and why the others cannot. Pure. */
import { type ActionReason, blockedBy, type DeviceAction } from '../../../../../daemon/contract/device-actions.ts';
import type { Device } from '../../../../../daemon/contract/devices.ts';

export interface BulkPlan {
  readonly able: readonly Device[];
  /** With the most frequent reason first. */
  readonly others: readonly { readonly reason: ActionReason; readonly devices: readonly Device[] }[];
}

export function planOf(action: DeviceAction, devices: readonly Device[]): BulkPlan {
  const able: Device[] = [];
  const byReason = new Map<ActionReason, Device[]>();
  for (const device of devices) {
    const reason = blockedBy(device, action);
    if (reason === undefined) able.push(device);
    else byReason.set(reason, [...(byReason.get(reason) ?? []), device]);
  }
  const others = [...byReason].map(([reason, found]) => ({ reason, devices: found }));
  return { able, others: others.toSorted((a, b) => b.devices.length - a.devices.length) };
}

/** The name of one of several devices: each run of # is its number, beginning with 1, as the hub writes it. */
export function numberedName(pattern: string, position: number): string {
  return pattern.replaceAll(/#+/g, ({ length }) => `${position + 1}`.padStart(length, '0'));
}
