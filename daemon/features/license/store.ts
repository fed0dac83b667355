import { and, count, countDistinct, eq, or } from 'drizzle-orm';
import { regStates } from '../../contract/device-states.ts';
import { protocolBits } from '../../contract/streams.ts';
import type { Queries } from '../../store/database.ts';
import { channels, devices, inputs, outputs } from '../../store/schema.ts';

/** What counts against the license; channels, outputs and SRT belong to enabled channels. */
export interface LicenseUse {
  readonly channels: number;
  /** Enabled outputs. */
  readonly outputs: number;
  /** SRT inputs and enabled SRT outputs; encoders and players that connect to the common port do not count. */
  readonly srt: number;
  /** Accepted ones. */
  readonly devices: number;
}

export function countUse(db: Queries): LicenseUse {
  const isAccepted = eq(devices.regState, regStates.accepted);
  const isOn = eq(channels.enabled, true);
  const running = and(isOn, eq(outputs.enabled, true));
  const sending = db.select({ count: count() }).from(outputs).innerJoin(channels, eq(outputs.channelId, channels.id));
  const isSrt = eq(outputs.protocol, protocolBits.srt);
  const sendingSrt = db
    .select({ count: count() })
    .from(outputs)
    .innerJoin(channels, eq(outputs.channelId, channels.id));
  const taking = db
    .select({ count: countDistinct(inputs.id) })
    .from(inputs)
    .innerJoin(channels, or(eq(channels.inputId, inputs.id), eq(channels.backupInputId, inputs.id)))
    .where(and(isOn, eq(inputs.protocol, protocolBits.srt)));
  return {
    channels: db.select({ count: count() }).from(channels).where(isOn).get()?.count ?? 0,
    outputs: sending.where(running).get()?.count ?? 0,
    devices: db.select({ count: count() }).from(devices).where(isAccepted).get()?.count ?? 0,
    srt: (taking.get()?.count ?? 0) + (sendingSrt.where(and(running, isSrt)).get()?.count ?? 0),
  };
}
