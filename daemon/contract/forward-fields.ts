/** What the form of a port forward checks, too. */
import * as z from 'zod/mini';
import { DeviceName } from './device-fields.ts';
import { limits } from './limits.ts';
import { IpAddress, orZero, Port, whole } from './rules.ts';

export const ForwardFields = {
  /** Empty: it is called after device and port. */
  name: z.union([z.literal(''), DeviceName]),
  /** Port of the device: a usual one, or one that an administrator has added for this device. */
  'remote-port': Port,
  /** Port of the hub; 0: the hub chooses a free one when it starts. */
  'local-port': orZero(limits.port),
  /** Address of the hub: of loopback, or of one of its network interfaces. Others than loopback need deviceAdvanced. */
  address: IpAddress,
  /** Whether it runs permanently: it starts again with the hub, and does not stop while it is unused. */
  'auto-start': z.boolean(),
  /** Minutes after which a connection without traffic is closed, and a forward without connections stops; 0: never. */
  'idle-minutes': whole(limits.forwards.idleMinutes),
};
