/** What a driver reads from a device, in one form for all makes. Facts that a device does not state are absent. */
import * as z from 'zod/mini';
import { deviceApis } from './device-catalog.ts';

const text = z.string().check(z.maxLength(255, 'tooLong'));
const count = z.number();

/** What a device is. */
export const DeviceIdentity = z.object({
  sn: text,
  name: text,
  api: z.enum(deviceApis),
  /** Id of the product in the catalog; 0: unknown. */
  'product-id': z.int(),
  /** Name of the model, as the device states it. */
  model: text,
  'hardware-ver': text,
  'firmware-ver': text,
});
export type DeviceIdentity = z.infer<typeof DeviceIdentity>;

const Port = z.object({
  address: z.optional(text),
  mask: z.optional(text),
  gateway: z.optional(text),
  dns: z.optional(z.array(text)),
  mac: z.optional(text),
  dhcp: z.optional(z.boolean()),
  /** Whether there is a link. */
  up: z.optional(z.boolean()),
  /** Megabits per second. */
  'link-mbps': z.optional(count),
  'rx-kbps': z.optional(count),
  'tx-kbps': z.optional(count),
});

const Picture = {
  width: z.optional(count),
  height: z.optional(count),
  interlaced: z.optional(z.boolean()),
  /** Frames per second; for interlaced video, too. */
  fps: z.optional(count),
};

const Codec = z.object({
  ...Picture,
  codec: z.optional(text),
  /** Configured bitrate. */
  kbps: z.optional(count),
  /** Bitrate of the last second. */
  'cur-kbps': z.optional(count),
  channels: z.optional(count),
  'sample-rate': z.optional(count),
});

/** State of a stream that the device sends or receives. */
export const deviceStreamStates = ['off', 'connecting', 'running', 'failed'] as const;

const Stream = z.object({
  /** Unique on the device. */
  id: text,
  name: text,
  /** As in the API of the device, such as "SRT caller". */
  protocol: text,
  /** Where it goes or comes from, without secrets. */
  address: z.optional(text),
  state: z.enum(deviceStreamStates),
  /** Why it failed, in words. */
  reason: z.optional(text),
  kbps: z.optional(count),
  /** Seconds since it began. */
  'run-s': z.optional(count),
  'rtt-ms': z.optional(count),
  /** Receivers, of a listener. */
  clients: z.optional(count),
});

const Disk = z.object({
  kind: z.enum(['usb', 'sd', 'nas', 'internal']),
  state: z.enum(['ready', 'missing', 'full', 'slow', 'readOnly', 'failed']),
  'total-bytes': z.optional(count),
  'free-bytes': z.optional(count),
  /** Seconds of recording for which there is space. */
  'free-s': z.optional(count),
});

/** What a device is doing that forbids other acts on it. */
export const deviceTasks = ['updating', 'resetting', 'rebooting', 'formatting', 'testing', 'loading'] as const;

/** Warnings of the device itself; the hub's own are in `dev-warns`. */
export const deviceWarnings = [
  'noSignal',
  'unsupportedSignal',
  'hot',
  'diskFull',
  'diskSlow',
  'networkDown',
  /** It is there, but does not answer where it states what it does. */
  'stateUnknown',
] as const;

const maxStreams = 64;
const maxDisks = 16;

export const DeviceFacts = z.object({
  identity: DeviceIdentity,
  ethernet: z.optional(Port),
  wifi: z.optional(Port),
  usb: z.optional(Port),
  /** Seconds since the device started. */
  'uptime-s': z.optional(count),
  /** Percent. */
  cpu: z.optional(count),
  memory: z.optional(count),
  /** Degrees Celsius. */
  temperature: z.optional(count),
  /** Signal at the input of an encoder, or of the source of a decoder. */
  signal: z.optional(
    z.object({
      ...Picture,
      state: z.enum(['none', 'locking', 'unsupported', 'present']),
      /** As the device words it, such as "1920x1080p60". */
      text: z.optional(text),
      'audio-channels': z.optional(count),
      'sample-rate': z.optional(count),
    }),
  ),
  /** Whether a screen is connected to the output of a decoder. */
  screen: z.optional(z.boolean()),
  main: z.optional(Codec),
  sub: z.optional(Codec),
  audio: z.optional(Codec),
  /** Name of the scene that a switcher shows. */
  scene: z.optional(text),
  recording: z.optional(z.boolean()),
  living: z.optional(z.boolean()),
  /** Seconds since it began to record, or to send. */
  'recording-s': z.optional(count),
  'living-s': z.optional(count),
  streams: z.array(Stream).check(z.maxLength(maxStreams, 'tooLong')),
  disks: z.array(Disk).check(z.maxLength(maxDisks, 'tooLong')),
  /** The stream that a decoder shows. */
  source: z.optional(z.object({ name: text, address: z.optional(text), connected: z.boolean() })),
  ndi: z.optional(
    z.object({
      name: text,
      enabled: z.boolean(),
      clients: z.optional(count),
      'on-preview': z.optional(z.boolean()),
      'on-program': z.optional(z.boolean()),
    }),
  ),
  warnings: z.array(z.enum(deviceWarnings)),
  tasks: z.array(z.enum(deviceTasks)),
  /** Progress of a firmware update: step as the device words it, percent. */
  upgrade: z.optional(z.object({ step: text, percent: count })),
  /** `cur-status` of the published device object, where the device has such a mask. */
  'cur-status': z.optional(z.int()),
});
export type DeviceFacts = z.infer<typeof DeviceFacts>;
