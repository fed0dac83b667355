/** Numbers of devices that a user sees. */

import { regStates } from '../../contract/device-states.ts';
import type { DeviceCounts } from '../../contract/system.ts';
import type { Guarded } from '../../http/object-access.ts';
import type { Inventory, OwnDevice } from './inventory.ts';
import { isWarning } from './list.ts';
import type { Report } from './reports.ts';

const none = {
  ...{ 'num-all': 0, 'num-online': 0, 'num-offline': 0, 'num-warn': 0 },
  ...{ 'num-pending': 0, 'num-rejected': 0 },
};
type Counts = Omit<DeviceCounts, 'limit-num' | 'num-clash'>;

interface Bucket {
  /** Seen by the same users as all devices of the bucket. */
  readonly guard: Guarded;
  readonly counts: { -readonly [N in keyof Counts]: number };
}

/** Devices with the same visibility are counted together: there are far fewer kinds of it than devices. */
export function bucketsOf(inventory: Inventory, reportOf: (device: OwnDevice) => Report): readonly Bucket[] {
  const buckets = new Map<string, Bucket>();
  for (const device of inventory.devices().values()) {
    const { security, groupId, row } = device;
    const key = security.isInherited ? `${groupId}` : `${security.groupMask}/${security.userMask}`;
    let bucket = buckets.get(key);
    if (bucket === undefined) {
      bucket = { guard: { security, groupId }, counts: { ...none } };
      buckets.set(key, bucket);
    }
    const { counts } = bucket;
    if (row.regState === regStates.pending) counts['num-pending'] += 1;
    else if (row.regState === regStates.rejected) counts['num-rejected'] += 1;
    else {
      const report = reportOf(device);
      counts['num-all'] += 1;
      if (report.connection === 'online') counts['num-online'] += 1;
      if (report.connection === 'offline') counts['num-offline'] += 1;
      if (isWarning(report)) counts['num-warn'] += 1;
    }
  }
  return [...buckets.values()];
}

export function countSeen(buckets: readonly Bucket[], canSee: (guard: Guarded) => boolean): Counts {
  const sum = { ...none };
  for (const { guard, counts } of buckets) {
    if (!canSee(guard)) continue;
    for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += counts[name];
  }
  return sum;
}
