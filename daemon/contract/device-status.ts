/** What a device reported last, as far as lists show it. */
import * as z from 'zod/mini';
import { deviceTasks } from './device-facts.ts';
import { deviceStatusBits } from './device-states.ts';
import { masked } from './rules.ts';

const figure = z.optional(z.number());

/** What a device reported last. */
export const DeviceStatus = z.object({
  /** Recording and living, and bits that depend on the model. */
  'cur-status': masked(deviceStatusBits),
  /** IP address of the Ethernet port. */
  eth: z.optional(z.string()),
  wifi: z.optional(z.string()),
  /** IP address of the network over USB. */
  rndis: z.optional(z.string()),
  /** Seconds since the device started. */
  'up-time': z.optional(z.int()),
  /** Percent, one per 10 s, the newest last; null where it is unknown. Not on the event stream. */
  cpu: z.optional(z.array(z.nullable(z.number()))),
  /** Bits per second that the Ethernet port received, in the same steps. Not on the event stream. */
  'eth-rx': z.optional(z.array(z.nullable(z.number()))),
  /** Absent if it does not state it. */
  recording: z.optional(z.boolean()),
  living: z.optional(z.boolean()),
  /** What it is doing that forbids actions; absent: nothing. */
  tasks: z.optional(z.array(z.enum(deviceTasks))),
});

/** Figures of the last report. */
export const DeviceFigures = z.object({
  /** Percent. */
  cpu: figure,
  memory: figure,
  /** Degrees Celsius. */
  temperature: figure,
  'rx-kbps': figure,
  'tx-kbps': figure,
  /** Bitrate of all streams that run. */
  'stream-kbps': figure,
});
