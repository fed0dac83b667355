import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { ChannelTotals } from './channels.ts';
import { DeviceConnection } from './device-fields.ts';
import { endpoints } from './endpoint.ts';
import { PasswordRule } from './password-rule.ts';
import { IntText, masked } from './rules.ts';
import { restartableParts } from './system-parts.ts';
import { featureBits, systemFlags } from './variant.ts';

/** A component that can fail while the rest of the hub runs. */
export const SystemPart = z.object({
  /**
   * `engine`, `rtmp`, `srt`, `udp`, `ffmpeg`, `ndi` (if a channel needs it), `confinement`, `descriptors` (if few are
   * left), `folder`, `memory` (if little is available), `https`, `link` (the port of the agents of devices).
   */
  name: z.string(),
  ok: z.boolean(),
  /**
   * Word for the console: `portOccupied`, `notPermitted`, `missing`, `tooOld`, `starting`, `crashed`,
   * `failing` (it keeps ending), `noSpace`, `memoryLow`,
   * `fewLeft`, `certificateInvalid`, `certificateKeyInvalid`, `certificateFailed`, `opensslMissing`, `failed`,
   * `unsupported`; for the confinement of child processes, which is complete if `ok` is set, `partial`, `none`.
   */
  reason: z.optional(z.string()),
  /** One line with the fault and the remedy. */
  message: z.optional(z.string()),
  port: z.optional(z.int()),
  version: z.optional(z.string()),
  /** Path of the data folder, of the certificate, or where FFmpeg was searched for. */
  path: z.optional(z.string()),
  /** Free space on the disk of the data folder, or available memory, in MB of 1048576 bytes. */
  'free-mb': z.optional(z.number()),
});
export type SystemPart = z.infer<typeof SystemPart>;

export const SystemLoad = z.object({
  /** Percent of all cores. */
  cpu: z.number(),
  /** Percent of memory in use. */
  mem: z.number(),
  /** MB of 1048576 bytes: media buffered for players that join or lag, and the limit above which long GOPs are dropped. */
  'ring-info': z.object({ used: z.number(), limit: z.number() }),
  /** The disk of the data folder, in MB of 1048576 bytes. */
  'disk-info': z.object({ total: z.number(), free: z.number() }),
  /** Mbit/s over all interfaces but loopback. */
  'net-tx': z.number(),
  'net-rx': z.number(),
  /** State of the hub. */
  'status-code': masked(systemFlags),
});
export type SystemLoad = z.infer<typeof SystemLoad>;

/** Numbers of devices that the caller sees; 0 without the permission deviceView. */
export const DeviceCounts = z.object({
  /** Accepted ones; the next three are among them. */
  'num-all': z.int(),
  'num-online': z.int(),
  'num-offline': z.int(),
  /** Those that warn, and those with which the hub has a problem. */
  'num-warn': z.int(),
  /** Waiting for approval. */
  'num-pending': z.int(),
  'num-rejected': z.int(),
  /** Other devices with the serial number of one of these, which wait for review. */
  'num-clash': z.int(),
  /** Number of devices that the license allows to be accepted. */
  'limit-num': z.int(),
});
export type DeviceCounts = z.infer<typeof DeviceCounts>;

export const SystemStatus = z.object({
  system: z.object({
    channel: ChannelTotals,
    output: z.object({
      /** Number of existing outputs. */
      'used-num': z.int(),
      /** Number of enabled outputs. */
      'enable-num': z.int(),
      /** Number of outputs that send. */
      'live-num': z.int(),
      /** Number of outputs that the license allows to be enabled at a time. */
      'limit-num': z.int(),
    }),
    /** SRT inputs in use and enabled SRT outputs: the number used, and the number that the license allows. */
    srt: z.object({ 'used-num': z.int(), 'limit-num': z.int() }),
    /** Players that connected by themselves. */
    client: z.object({ 'live-num': z.int(), 'limit-num': z.int() }),
    /** Absent on the event stream, where the topic `device-counts` has the numbers of each reader. */
    device: z.optional(DeviceCounts),
    info: z.object({
      /** Server time, seconds since 1970. */
      'date-time': z.int(),
      /** Version of the hub. */
      'cloud-version': z.string(),
      /** Version of the hardware, as its firmware names it; absent on a standard hub, or if the firmware names none. */
      'hardware-ver': z.optional(z.string()),
      /** Session timeout, minutes; -1 never. */
      'expired-time': z.int(),
      'feature-support': masked(featureBits),
      'host-name': z.string(),
      /** As set in the settings; otherwise the host name. */
      name: z.string(),
      /** Seconds since the hub started. */
      'up-time': z.int(),
      /** Changes with every build; the console reloads when it changes. */
      'build-id': z.string(),
    }),
    status: SystemLoad,
    parts: z.array(SystemPart),
    /** Ports that are currently in use. */
    ports: z.object({
      rtmp: z.int(),
      srt: z.int(),
      hls: z.int(),
      http: z.int(),
      https: z.nullable(z.int()),
      /** Agents of devices register here; 0 if it is not open, null on a hub that manages no devices. */
      link: z.nullable(z.int()),
    }),
    /**
     * Names and addresses by which other machines reach the hub, the best first, at most 16: its public names
     * (`SIGNALBOX_HOSTS`), then its addresses. Empty if it listens on the loopback address alone.
     */
    addresses: z.array(z.string()),
  }),
  /** As in the settings, for forms of users who may not see the settings. */
  'pwd-rule': PasswordRule,
  /** -20: no license is registered, and the default one holds. */
  'license-reg': z.object({ status: z.literal(-20) }),
  /** Most channels that may be switched on, and most devices that may be accepted. */
  'cur-license': z.object({ 'max-channel-count': z.int(), 'max-dev-count': z.int() }),
  /** With `global-config=1`. */
  'global-config': z.optional(z.object({ device: DeviceConnection })),
});
export type SystemStatus = z.infer<typeof SystemStatus>;

const series = z.array(z.nullable(z.number()));

export const systemApi = endpoints(calls.system, {
  status: {
    summary: 'Get the hub status: information, load, totals.',
    query: z.object({ 'global-config': z.optional(IntText) }),
    response: z.object({ status: SystemStatus }),
  },
  restartPart: {
    summary: 'Restart a part of the hub now. `engine` interrupts all streams, `srt` and `udp` those of their protocol.',
    /** `unless-running`: does nothing to a part that runs, so that no stream is interrupted. */
    body: z.object({ name: z.enum(restartableParts), 'unless-running': z.optional(z.boolean()) }),
  },
  history: {
    summary: 'Get load and traffic of the last 60 minutes.',
    response: z.object({
      /** Seconds between values, the newest last; null where the value is unknown. */
      'step-s': z.int(),
      /** Milliseconds since 1970 of the newest value. */
      end: z.int(),
      /** Percent of all cores. */
      cpu: series,
      /** Percent of memory in use. */
      mem: series,
      /** Mbit/s over all interfaces but loopback. */
      'net-tx': series,
      'net-rx': series,
      /** Media in and out of the engine, Mbit/s. */
      'media-in': series,
      'media-out': series,
    }),
  },
});
