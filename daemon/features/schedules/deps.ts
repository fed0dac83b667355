import type { DeviceAction } from '../../contract/device-actions.ts';
import type { Guarded, ObjectAccess } from '../../http/object-access.ts';
import type { CurrentSession } from '../../http/principal.ts';
import type { Log } from '../../lib/log.ts';
import type { Database } from '../../store/database.ts';
import type { DeviceActions } from '../devices/actions.ts';
import type { Audit } from '../logs/audit.ts';
import type { ScheduleClock } from './clock.ts';

/** What the noun needs of devices. */
export interface ScheduledDevices {
  /** Undefined if there is no such device. */
  find(sn: string): { readonly name: string; readonly guard: Guarded } | undefined;
  /** Whether the product can ever do that. */
  canEver(sn: string, action: DeviceAction): boolean;
  /** Calls back when devices, or who sees them, have changed. */
  onChange(listener: () => void): () => void;
  /** Never rejects. */
  act(...request: Parameters<DeviceActions['act']>): ReturnType<DeviceActions['act']>;
}

export interface ScheduleDeps {
  readonly db: Database;
  readonly audit: Audit;
  readonly log: Log;
  readonly access: ObjectAccess;
  readonly clock: ScheduleClock;
  readonly currentSession: CurrentSession;
  readonly devices: ScheduledDevices;
}
