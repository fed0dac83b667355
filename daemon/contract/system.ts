import * as z from 'zod/mini';
import { ChannelTotals } from './channels.ts';
import { get } from './endpoint.ts';
import { PasswordRule } from './password-rule.ts';

/** Bits of `status-code`; the update service's state is OR-ed in below them. */
export const systemFlags = {
  newVersion: 4096,
  restarting: 8192,
  relayStartFailed: 16384,
  updating: 32768,
  resetting: 65536,
  importing: 131072,
  memoryLow: 262144,
} as const;

/** A part of the hub that can be missing while the rest runs. */
export const SystemPart = z.object({
  /** `engine`, `rtmp`, `srt`, `udp`, `ffmpeg`, `ndi` (when a channel wants it), `confinement`, `descriptors` (when few are left), `folder`, `https`. */
  name: z.string(),
  ok: z.boolean(),
  /**
   * Word for the console: `portOccupied`, `notPermitted`, `missing`, `tooOld`, `starting`, `crashed`, `noSpace`, `fewLeft`,
   * `certificateInvalid`, `certificateKeyInvalid`, `certificateFailed`, `opensslMissing`, `failed`, `unsupported`; of the
   * confinement of child processes, which is full when it is ok, `partial`, `none`.
   */
  reason: z.optional(z.string()),
  /** One line that names the fault and the cure. */
  message: z.optional(z.string()),
  port: z.optional(z.number()),
  version: z.optional(z.string()),
  /** Of the data folder, of the certificate, or where FFmpeg was looked for. */
  path: z.optional(z.string()),
  /** Of the data folder: what is left on its disk. */
  'free-mb': z.optional(z.number()),
});
export type SystemPart = z.infer<typeof SystemPart>;

export const SystemLoad = z.object({
  /** Percent of all cores. */
  cpu: z.number(),
  /** Percent of memory in use. */
  mem: z.number(),
  /** MB that hold streams for players that join or lag, and the most before long groups of pictures are let go. */
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
      /** Outputs that the licence lets be on at a time. */
      'limit-num': z.number(),
    }),
    /** SRT inputs in use and SRT outputs that are on: used, and how many the licence allows. */
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
      /** Changes with every build; a console that sees another one reloads. */
      'build-id': z.string(),
    }),
    status: SystemLoad,
    parts: z.array(SystemPart),
    /** Ports that encoders and players use now. */
    ports: z.object({
      rtmp: z.number(),
      srt: z.number(),
      hls: z.number(),
      http: z.number(),
      https: z.nullable(z.number()),
    }),
  }),
  /** As in the settings, for forms of people who may not see those. */
  'pwd-rule': PasswordRule,
});
export type SystemStatus = z.infer<typeof SystemStatus>;

const series = z.array(z.nullable(z.number()));

export const systemApi = {
  status: get('/api/system/status', {
    scope: 'signedIn',
    summary: 'Hub status: information, load, totals.',
    query: z.object({ 'global-config': z.optional(z.coerce.number()) }),
    answer: z.object({ status: SystemStatus }),
  }),
  history: get('/api/system/history', {
    scope: 'signedIn',
    summary: 'Load and traffic of the last 60 minutes.',
    answer: z.object({
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
  }),
};
