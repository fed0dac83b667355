import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { ChannelTotals } from './channels.ts';
import { endpoints } from './endpoint.ts';
import { PasswordRule } from './password-rule.ts';
import { restartableParts } from './system-parts.ts';

/** A component that can fail while the rest of the hub runs. */
export const SystemPart = z.object({
  /**
   * `engine`, `rtmp`, `srt`, `udp`, `ffmpeg`, `ndi` (if a channel needs it), `confinement`, `descriptors` (if few are
   * left), `folder`, `https`.
   */
  name: z.string(),
  ok: z.boolean(),
  /**
   * Word for the console: `portOccupied`, `notPermitted`, `missing`, `tooOld`, `starting`, `crashed`,
   * `failing` (it keeps ending), `noSpace`,
   * `fewLeft`, `certificateInvalid`, `certificateKeyInvalid`, `certificateFailed`, `opensslMissing`, `failed`,
   * `unsupported`; for the confinement of child processes, which is complete if `ok` is set, `partial`, `none`.
   */
  reason: z.optional(z.string()),
  /** One line with the fault and the remedy. */
  message: z.optional(z.string()),
  port: z.optional(z.number()),
  version: z.optional(z.string()),
  /** Path of the data folder, of the certificate, or where FFmpeg was searched for. */
  path: z.optional(z.string()),
  /** Free space on the disk of the data folder. */
  'free-mb': z.optional(z.number()),
});
export type SystemPart = z.infer<typeof SystemPart>;

export const SystemLoad = z.object({
  /** Percent of all cores. */
  cpu: z.number(),
  /** Percent of memory in use. */
  mem: z.number(),
  /** MB of media buffered for players that join or lag, and the limit above which long GOPs are dropped. */
  'ring-info': z.object({ used: z.number(), limit: z.number() }),
  /** MB. */
  'disk-info': z.object({ total: z.number(), free: z.number() }),
  /** Mbit/s over all interfaces but loopback. */
  'net-tx': z.number(),
  'net-rx': z.number(),
  'status-code': z.number(),
});
export type SystemLoad = z.infer<typeof SystemLoad>;

export const SystemStatus = z.object({
  system: z.object({
    channel: ChannelTotals,
    output: z.object({
      'used-num': z.number(),
      'enable-num': z.number(),
      'live-num': z.number(),
      /** Number of outputs that the license allows to be enabled at a time. */
      'limit-num': z.number(),
    }),
    /** SRT inputs in use and enabled SRT outputs: the number used, and the number that the license allows. */
    srt: z.object({ 'used-num': z.number(), 'limit-num': z.number() }),
    client: z.object({ 'live-num': z.number(), 'limit-num': z.number() }),
    device: z.object({ 'num-all': z.number(), 'num-pending': z.number(), 'num-warn': z.number() }),
    info: z.object({
      /** Server time, seconds since 1970. */
      'date-time': z.number(),
      'cloud-version': z.string(),
      /** Session timeout, minutes; -1 never. */
      'expired-time': z.number(),
      /** Bits of variant.ts. */
      'feature-support': z.number(),
      'host-name': z.string(),
      /** Seconds since the hub started. */
      'up-time': z.number(),
      /** Changes with every build; the console reloads when it changes. */
      'build-id': z.string(),
    }),
    status: SystemLoad,
    parts: z.array(SystemPart),
    /** Ports that encoders and players currently use. */
    ports: z.object({
      rtmp: z.number(),
      srt: z.number(),
      hls: z.number(),
      http: z.number(),
      https: z.nullable(z.number()),
    }),
    /**
     * Names and addresses by which other machines reach the hub, the best first, at most 16: its public names
     * (`SIGNALBOX_HOSTS`), then its addresses. Empty if it listens on the loopback address alone.
     */
    addresses: z.array(z.string()),
  }),
  /** As in the settings, for forms of users who may not see the settings. */
  'pwd-rule': PasswordRule,
});
export type SystemStatus = z.infer<typeof SystemStatus>;

const series = z.array(z.nullable(z.number()));

export const systemApi = endpoints(calls.system, {
  status: {
    summary: 'Get the hub status: information, load, totals.',
    query: z.object({ 'global-config': z.optional(z.coerce.number()) }),
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
      'step-s': z.number(),
      /** Milliseconds since 1970 of the newest value. */
      end: z.number(),
      cpu: series,
      mem: series,
      'net-tx': series,
      'net-rx': series,
      /** Media in and out of the engine, Mbit/s. */
      'media-in': series,
      'media-out': series,
    }),
  },
});
