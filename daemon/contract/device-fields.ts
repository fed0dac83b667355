/** Members that several calls of devices and device groups have in common. */
import * as z from 'zod/mini';
import { limits } from './limits.ts';
import { composed, inWords, isHost, Latency, orZero } from './rules.ts';
import { protocolBits } from './streams.ts';

export const DeviceSn = z.string().check(z.minLength(1, 'required'), z.maxLength(limits.deviceSn.max, 'tooLong'));

/** One serial number or several. */
export const DeviceSns = z.union([
  DeviceSn,
  z.array(DeviceSn).check(z.minLength(1, 'required'), z.maxLength(limits.devicesPerCall, 'tooLong')),
]);

const visible = z.regex(/^[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]*$/u, 'characters');
const noOuterSpace = z.refine<string>((text) => text === text.trim(), 'outerSpace');

/** Any characters but control characters, because devices may have such names; no space at either end. */
export const DeviceName = z
  .string()
  .check(
    composed,
    ...[z.minLength(1, 'required'), z.maxLength(limits.name.max, 'tooLong'), visible, noOuterSpace],
    inWords('No space at either end.'),
  );

/** A name that a device itself gets: as long as all devices that can be renamed take it; some allow fewer characters. */
export const NewDeviceName = DeviceName.check(z.maxLength(limits.deviceName.max, 'tooLong'));

export const DeviceGroupName = z
  .string()
  .check(
    composed,
    ...[z.minLength(1, 'required'), z.maxLength(limits.deviceGroups.name, 'tooLong'), visible, noOuterSpace],
    inWords('No space at either end.'),
  );

/** Bits of user groups, or of users; 4294967295: all, also those that do not exist yet. */
const Mask = z.int('number').check(z.gte(0, 'range'), z.lte(0xffffffff, 'range'));

/** Who may see devices: the members of these groups, and these users. Administrators always may. */
export const DeviceMasks = z.object({ 'group-mask': Mask, 'usr-mask': Mask });
export type DeviceMasks = z.infer<typeof DeviceMasks>;

/** Absent members stay unchanged. */
export const MasksChange = z.partial(DeviceMasks);

/** Absent members stay unchanged. */
export const SecurityChange = z.object({
  /** Whether the masks of the group apply, at the top those of the hub. Other numbers than 0 are `true`. */
  'is-inherit': z.optional(z.union([z.boolean(), z.int()])),
  ...MasksChange.shape,
});
export type SecurityChange = z.infer<typeof SecurityChange>;

const ConnectionProtocol = z.union([z.literal(0), z.literal(protocolBits.rtmp), z.literal(protocolBits.srt)]);
const side = {
  /** 0: as all devices, and if that is 0, too, as the channel prefers. 1 RTMP, 2 SRT. */
  protocol: ConnectionProtocol,
  /** Milliseconds; with SRT only. Default: 120. */
  latency: z.optional(Latency),
};

/** How a device sends to the hub (`input`) and plays from it (`output`). An absent member is as all devices. */
export const DeviceConnection = z.object({
  input: z.optional(
    z.object({
      ...side,
      /** 0 main stream, 1 sub stream. */
      'stream-index': z.optional(z.union([z.literal(0), z.literal(1)])),
    }),
  ),
  output: z.optional(
    z.object({
      ...side,
      /** Receive buffer of the device in milliseconds; 0: its own default. */
      'buffer-ms': z.optional(orZero(limits.bufferDuration)),
    }),
  ),
});
export type DeviceConnection = z.infer<typeof DeviceConnection>;

/** `host`, `host:port`, or an http or https URL without a path; IPv6 addresses in brackets. */
export const DeviceAddress = z.string().check(
  z.minLength(1, 'required'),
  z.maxLength(limits.deviceAddress.max, 'tooLong'),
  z.refine((text) => text === '' || readDeviceAddress(text) !== undefined, 'deviceAddress'),
  inWords('`host`, `host:port`, or an http or https URL without a path; IPv6 addresses in brackets.'),
);

/**
 * Ports of devices of the driver `v1`: of its HTTP API, which is published, and of OSC, which is not: it is the usual one
 * of programs with OSC, and the settings of the device show their own.
 */
export const v1Port = 8080;
export const defaultOscPort = 8000;

/** Of a stream: what a device that is only a stream has instead. */
const streamUrl = /^(rtsp|rtmps?|https?|srt):\/\/\S+$/i;

/**
 * Address of a device, or of the stream that a device of the driver `stream` is: an rtsp, srt (caller), rtmp or http
 * URL as of an input. Which of both it has to be is checked with the driver.
 */
export const DeviceOrStreamAddress = z
  .string()
  .check(
    z.minLength(1, 'required'),
    z.maxLength(limits.url.max, 'tooLong'),
    inWords(
      '`host`, `host:port`, or an http or https URL without a path; IPv6 addresses in brackets. With the driver `stream`, the URL of a stream: rtsp, srt in caller mode, rtmp or http, as of an input.',
    ),
  );

/** For a form: the URL of a stream that a device can be. The hub checks the rest. */
export const DeviceStreamUrl = z
  .string()
  .check(z.minLength(1, 'required'), z.maxLength(limits.url.max, 'tooLong'), z.regex(streamUrl, 'deviceStream'));

/** A path that begins with a slash, or an http or https URL on the host of the stream; empty: none. */
export const SnapshotAddress = z
  .string()
  .check(z.maxLength(limits.url.max, 'tooLong'), z.regex(/^(\/\S*|https?:\/\/\S+)?$/i, 'snapshot'));

/** SHA-256 of a certificate, as 64 hexadecimal digits; empty: none. */
export const DevicePin = z.string().check(z.regex(/^([0-9a-fA-F]{64})?$/, 'fingerprint'));

/** Drivers of devices that cannot be asked what they are: an administrator says so. */
export const describedDrivers = ['stream', 'v1'] as const;
export type DescribedDriver = (typeof describedDrivers)[number];

/** Returns the rule that the address breaks. */
export function deviceAddressFault(address: string, driver: DescribedDriver | undefined): string | undefined {
  const schema = driver === 'stream' ? DeviceStreamUrl : DeviceAddress;
  return schema.safeParse(address).error?.issues[0]?.message;
}

export interface ReadAddress {
  /** Undefined if it is not given. */
  readonly scheme: 'http' | 'https' | undefined;
  /** Without brackets. */
  readonly host: string;
  readonly port: number | undefined;
}

/** Returns undefined for text that is not the address of a device. */
export function readDeviceAddress(text: string): ReadAddress | undefined {
  const [, scheme, v6, name, port] =
    /^(?:(https?):\/\/)?(?:\[([0-9A-Fa-f:.]+)\]|([^\s/:?#@[\]]+))(?::(\d{1,5}))?\/?$/.exec(text.trim()) ?? [];
  const host = v6 ?? name;
  if (host === undefined || !isHost(host)) return undefined;
  const number = port === undefined ? undefined : Number(port);
  if (number !== undefined && (number < limits.port.min || number > limits.port.max)) return undefined;
  return { scheme: scheme as ReadAddress['scheme'], host, port: number };
}
