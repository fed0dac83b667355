import type { Device } from '../../contract/devices.ts';
import type { SystemLogLine } from '../../contract/system-log.ts';
import type { DevicePorts } from '../../devices/ports.ts';
import type { Actor } from '../../http/route.ts';
import type { Log } from '../../lib/log.ts';
import type { RegistrationState } from '../../link/handshake.ts';
import type { Database } from '../../store/database.ts';
import type { Secrets } from '../../store/secrets.ts';
import type { ConfiguredChannel } from '../channels/configuration.ts';
import type { License } from '../license/license.ts';
import type { Audit } from '../logs/audit.ts';
import type { TaskService } from '../tasks/service.ts';
import type { StoredUser } from '../users/service.ts';
import type { ObjectAccessService } from '../visibility/service.ts';

/** Where devices send their streams, and play those of the hub. */
export interface HubListeners {
  /** Names and addresses by which other machines reach the hub, the best first. */
  readonly addresses: () => readonly string[];
  readonly ports: () => { readonly rtmp: number; readonly srt: number };
  /** Of the SRT listener; an empty passphrase if it has none. */
  readonly srt: () => { readonly latencyMs: number; readonly passphrase: string };
}

export interface DeviceDeps {
  readonly db: Database;
  readonly secrets: Pick<Secrets, 'derive' | 'open' | 'seal'>;
  readonly audit: Audit;
  readonly license: License;
  readonly access: ObjectAccessService;
  readonly now: () => number;
  readonly log: Log;
  /** The newest lines of the system log whose field `peer` is this serial number. */
  readonly linesAbout: (query: { peer: string; before: number | undefined; count: number }) => SystemLogLine[];
  readonly ports: DevicePorts;
  readonly tasks: Pick<TaskService, 'begin'>;
  /** The code that devices must send to register; undefined if none is needed. */
  readonly invitationCode: () => string | undefined;
  /** Tells the agent of a device its state, if it is connected. */
  readonly setLinkState: (sn: string, state: RegistrationState) => void;
  /** Whether this hub manages devices; otherwise it asks none, also if some are stored. */
  readonly isOn: boolean;
  readonly listeners: HubListeners;
  readonly channels: {
    readonly configured: () => readonly ConfiguredChannel[];
    /** With device id 0, the channel has its push key again. */
    readonly setInputDevice: (actor: Actor, choice: { readonly id: number; readonly deviceId: number }) => void;
    /** Reads the channels again after devices were deleted, renamed or rejected. */
    readonly applyDesired: () => void;
    /** What the device delivers to the channel whose live input it is, as a JPEG; undefined if it is none. */
    readonly devicePicture: (deviceId: number) => Promise<Uint8Array | 'notYet' | undefined>;
    readonly onChange: (listener: () => void) => () => void;
  };
  /** What the device object shows of upgrades of its firmware. */
  readonly upgradeOf: (sn: string) => Pick<Device, 'update-state' | 'upgrade'>;
  readonly users: () => readonly Pick<StoredUser, 'id' | 'groupId' | 'type'>[];
}
