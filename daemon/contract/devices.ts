/** Encoders, decoders and other devices that the hub manages. */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { deviceApis } from './device-catalog.ts';
import { DeviceFacts } from './device-facts.ts';
import {
  DeviceConnection,
  DeviceMasks,
  DeviceName,
  DeviceOrStreamAddress,
  DevicePin,
  DeviceSn,
  DeviceSns,
  describedDrivers,
  MasksChange,
  SecurityChange,
  SnapshotAddress,
} from './device-fields.ts';
import { DeviceGroup } from './device-groups.ts';
import { devicePictureProblems, deviceProblems } from './device-problems.ts';
import { deviceConnections, deviceEvents, deviceStatusWords, deviceWarnBits, regStates } from './device-states.ts';
import { DeviceFigures, DeviceStatus } from './device-status.ts';
import { deviceUpgradeFields } from './device-upgrade-fields.ts';
import { discoveryMethods } from './discovery.ts';
import { endpoints } from './endpoint.ts';
import { limits } from './limits.ts';
import {
  coded,
  composed,
  IntText,
  inWords,
  listOf,
  masked,
  Natural,
  PageCount,
  Paging,
  Port,
  Revised,
  Revision,
} from './rules.ts';
import { directions } from './streams.ts';
import { SystemLogLine } from './system-log.ts';

const names = z.optional(z.array(z.string()));
const ids = z.optional(z.array(z.int()));

export const Device = z.object({
  /** Id of the node. */
  id: z.int(),
  sn: z.string(),
  name: z.string(),
  'reg-state': coded(regStates),
  /** When it applied, or was approved, in milliseconds since 1970. */
  'apply-date': z.int(),
  /** Since when it has been online, in milliseconds since 1970; 0: it is not. */
  'online-date': z.int(),
  /** Since when it has been in its state of `connection`, in milliseconds since 1970; 0: not accepted. */
  since: z.int(),
  connection: z.enum(deviceConnections),
  /** Why the last request failed; absent after a success. */
  problem: z.optional(z.enum(deviceProblems)),
  /** When it is expected to answer again after a rename or a restart, in milliseconds since 1970. */
  'pause-until': z.optional(z.int()),
  /** Why it has no picture; only while somebody looks at it. */
  'picture-problem': z.optional(z.enum(devicePictureProblems)),
  /** Group of devices; 0: none. */
  'catalog-id': z.int(),
  /** Id of the family. */
  module: z.int(),
  /** Name of the model. */
  'module-name': z.string(),
  /** Which of the hub's drivers speaks to it. */
  api: z.enum(deviceApis),
  'product-id': z.int(),
  /** Family in the lower byte, and `dir`. */
  'dev-type': z.int(),
  'hardware-ver': z.string(),
  'firmware-ver': z.string(),
  /** 257 can be the input of a channel, 513 can play one, 769 both, 1 neither. */
  type: z.int(),
  dir: coded(directions),
  /** The same as far as the hub can set it up: it can tell the device where to send, or what to play. */
  'connect-dir': coded(directions),
  'dev-warns': masked(deviceWarnBits),
  /** Null: as all devices. */
  config: z.nullable(DeviceConnection),
  ...DeviceMasks.shape,
  /** 1 if the masks of its group apply, at the top those of the hub; its own are kept for later. */
  'is-inherit': z.int(),
  /** Mask of the ids of users whose favorite it is. */
  'is-favorite': z.int(),
  /** 1 while firmware is sent to it. */
  'is-upload-file': z.int(),
  /** Percent of the firmware that was sent. */
  'upload-file-pos': z.int(),
  ...deviceUpgradeFields,
  /** Id of its picture in preview streams. */
  'preview-id': z.string(),
  /** With which it publishes. Only with the permission deviceAdvanced; without it, `push-key-set` is sent instead. */
  'push-key': z.optional(z.string()),
  'push-key-set': z.optional(z.boolean()),
  'pro-feature': z.object({
    /** Signal at the input, in words. */
    input: z.optional(z.string()),
    /** Codec and resolution of the main stream, such as `H.264 1920x1080p`. */
    codec: z.optional(z.string()),
    /** What a decoder shows, and whether that arrives. */
    source: z.optional(z.object({ name: z.string(), connected: z.boolean() })),
  }),
  /** Names and ids of the channels that it publishes to; absent if there are none. */
  'owner-i': names,
  'owner-i-d': ids,
  /** Names and ids of the channels that it plays. */
  'owner-o': names,
  'owner-o-d': ids,
  status: DeviceStatus,
  figures: DeviceFigures,
  /** Whether the hub reaches it at its address or through the agent on it. */
  link: z.enum(['direct', 'agent']),
  revision: z.int(),
});
export type Device = z.infer<typeof Device>;

const series = z.array(z.nullable(z.number()));

/** Figures of the last hour, the newest last; null where they are unknown. */
const DeviceHistory = z.object({
  /** Seconds from one value to the next. */
  'step-s': z.int(),
  /** Time of the newest value, in milliseconds since 1970. */
  end: z.int(),
  /** Percent. */
  cpu: series,
  /** Degrees Celsius. */
  temperature: series,
  'rx-kbps': series,
  'tx-kbps': series,
  /** Bitrate of all streams that run. */
  'stream-kbps': series,
});

const DeviceDetails = z.object({
  ...Device.shape,
  /**
   * Where the hub reaches it; empty for a device with an agent. The URL of a stream is without password and passphrase,
   * and without stream key, stream id and query for users without the permission deviceAdvanced.
   */
  address: z.string(),
  /** `stream`: the device is a stream, `v1`: a Director with OSC; absent for all others. */
  driver: z.optional(z.enum(describedDrivers)),
  /** With `v1`: UDP port at which it is asked for its state. */
  'osc-port': z.optional(z.int()),
  /** Where the picture of a stream is, with the same exception; absent: it has none. */
  snapshot: z.optional(z.string()),
  user: z.string(),
  /** The password itself is never returned. */
  'password-set': z.boolean(),
  /** SHA-256 of the accepted certificate; empty for none. */
  pin: z.string(),
  /** The problem in words. */
  'problem-text': z.optional(z.string()),
  /** Everything that it reported last. */
  facts: z.optional(DeviceFacts),
  history: z.optional(DeviceHistory),
});

/** Something that happened to a device: a line of the system log. */
export const DeviceEvent = z.object({
  ...z.omit(SystemLogLine, { scope: true }).shape,
  event: z.enum(deviceEvents),
  /**
   * Why it is offline, the problem, or the warning: a word of `problem` or of `facts.warnings`. The version of its new
   * firmware, or why it has none: a `reason` of `device/upgrade`.
   */
  word: z.optional(z.string()),
});
export type DeviceEvent = z.infer<typeof DeviceEvent>;

const globalConfig = { 'global-config': z.optional(DeviceConnection) };
const withGlobal = z.optional(IntText);
const flag = z.optional(IntText);

const deviceList = z.object({ ...listOf(Device).shape, ...globalConfig });

const Password = z.string().check(z.maxLength(limits.deviceLogin.password, 'tooLong'));
const User = z.string().check(z.maxLength(limits.deviceLogin.user, 'tooLong'));

const NewDevice = z.object({
  address: DeviceOrStreamAddress,
  /**
   * `stream`: the device is a stream of any make that the hub opens itself. `user` and `password` are those of the
   * stream, if they are not in its URL. `v1`: a Director, whose API has no login and port 8080. By default the hub asks
   * what answers at the address.
   */
  driver: z.optional(z.enum(describedDrivers, 'choice')),
  /** With `v1`: UDP port at which it answers over OSC. Default: 8000. */
  'osc-port': z.optional(Port),
  /**
   * With `stream`: where its picture (JPEG) is, as a path or as an http or https URL on the same host. A path is on
   * port 80, or on the port of a stream over HTTP.
   */
  snapshot: z.optional(SnapshotAddress),
  user: z.optional(User),
  password: z.optional(Password),
  /** Default: the name that it states. */
  name: z.optional(DeviceName),
  /** Group of devices; 0, the default: none. */
  'catalog-id': z.optional(z.int('number')),
  /** The certificate to accept; without it, one that no authority has signed is refused. */
  pin: z.optional(DevicePin),
});
export type NewDevice = z.infer<typeof NewDevice>;

const Added = z.object({
  address: z.string(),
  /** Absent if the device was not identified. */
  sn: z.optional(z.string()),
  /** Code of the result. */
  result: z.int(),
  /** With other results than 0. */
  message: z.optional(z.string()),
  problem: z.optional(z.enum(deviceProblems)),
  /** With `certificateUnknown`: SHA-256 of the certificate that the device shows. */
  pin: z.optional(z.string()),
});
export type Added = z.infer<typeof Added>;

export const deviceApi = endpoints(calls.devices, {
  list: {
    summary: 'List devices that match all given filters.',
    needs: 'devices',
    query: z.object({
      ...Paging,
      /** Default: accepted. `any`: in each of these states. */
      'reg-state': z.optional(z.enum(['accepted', 'rejected', 'waiting', 'any'], 'choice')),
      /** Group of devices; only accepted ones have one. 0: those in no group. */
      catalog: z.optional(IntText),
      /** Id of the family; 0: all. */
      module: z.optional(IntText),
      /** 1: only favorites of the caller. */
      'is-favorite': flag,
      /** Those that can be the input of a channel, or play one. */
      dir: z.optional(z.enum(['input', 'output'], 'choice')),
      /**
       * Words with commas between; a device needs one of them. `dev-warns`: it warns; `warns`: the hub has a problem
       * with it; `offline`, `online`.
       */
      status: z.optional(
        z.string().check(
          z.refine((text) => text.split(',').every((word) => (deviceStatusWords as readonly string[]).includes(word)), {
            error: 'choice',
            params: { allowed: deviceStatusWords.join(', ') },
          }),
          inWords(`Of ${deviceStatusWords.join(', ')}, with commas between.`),
        ),
      ),
      /** Id of a channel: those that send to it or play it. */
      channel: z.optional(IntText),
      /** Part of the serial number or the name. */
      key: z.optional(z.string().check(composed, z.maxLength(limits.name.max, 'tooLong'))),
      /** The same, or part of an address, or of the name of the group, which the caller must see. */
      search: z.optional(z.string().check(composed, z.maxLength(limits.name.max, 'tooLong'))),
      /** By default the list is in order of creation. `time`: when they applied or were approved. */
      sort: z.optional(z.enum(['online-state', 'sn', 'name', 'time'], 'choice')),
      /** Only with `sort`. */
      order: z.optional(z.enum(['ascending', 'descending'], 'choice')),
      /** 1: with the connection of all devices. */
      'global-config': withGlobal,
    }),
    response: deviceList,
  },
  listOf: {
    summary: 'List the devices with these serial numbers; those that do not exist are left out.',
    needs: 'devices',
    body: z.object({ sn: z.array(DeviceSn).check(z.maxLength(limits.devices, 'tooLong')) }),
    response: deviceList,
  },
  query: {
    summary: 'Get a device with everything that it reported last.',
    needs: 'devices',
    query: z.object({
      sn: DeviceSn,
      'global-config': withGlobal,
      /** 1: with the figures of the last hour. */
      history: flag,
    }),
    response: z.object({ dev: DeviceDetails, ...globalConfig }),
  },
  log: {
    summary: 'List what happened to a device, the newest first: its connection, problems and warnings.',
    needs: 'devices',
    query: z.object({
      sn: DeviceSn,
      count: PageCount,
      /** Only older entries: `next` of the previous page. */
      before: z.optional(Natural),
    }),
    response: z.object({
      list: z.array(DeviceEvent),
      /** `before` of the next page; 0 when there is none. */
      next: z.int(),
    }),
  },
  listWithGroups: {
    summary:
      'List the accepted devices by group. Those that are online come first, then those that were approved last, then the smaller serial number.',
    needs: 'devices',
    query: z.object({
      ...Paging,
      /** Ids with commas between; by default all groups, with 0 for the devices in none. */
      catalogs: z.optional(z.string().check(z.regex(/^\d{1,9}(,\d{1,9})*$/, 'format'))),
      /** The window in each group. */
      'dev-start': z.optional(IntText.check(z.gte(0, 'range'))),
      'dev-count': z.optional(IntText.check(z.gte(0, 'range'))),
      'global-config': withGlobal,
    }),
    response: z.object({
      start: z.int(),
      /** Number of groups. */
      total: z.int(),
      list: z.array(
        z.object({
          ...DeviceGroup.shape,
          /** Number of devices in the group. */
          'dev-total': z.int(),
          list: z.array(Device),
        }),
      ),
      ...globalConfig,
    }),
  },
  favorite: {
    summary: 'Make devices favorites of the caller, or no longer.',
    needs: 'devices',
    body: z.object({ sn: DeviceSns, enable: z.boolean() }),
  },
  config: {
    summary: 'Set how devices connect to the hub. An absent `input` or `output` is as for all devices.',
    needs: 'devices',
    body: z.object({ sn: DeviceSns, config: DeviceConnection }),
  },
  connect: {
    summary:
      'Make a device the input of a channel, or let it play one: the hub sets up both. Channel 0 ends that. Also requires channelEdit.',
    needs: 'devices',
    body: z.object({
      sn: DeviceSn,
      channel: z.int('number'),
      /** Default: what the device can do. */
      dir: z.optional(z.enum(['input', 'output'], 'choice')),
      /** Also if the channel has another input, or the device publishes to another channel; 1005 without. */
      force: z.optional(z.boolean()),
    }),
  },
  revealKey: {
    summary: 'Record that the push key of a device is revealed. Returns the key.',
    needs: 'devices',
    body: z.object({ sn: DeviceSn }),
    response: z.object({ 'push-key': z.string() }),
  },
  renewKey: {
    summary: 'Give a device a new push key. If it sends to a channel, the hub tells it the new one.',
    needs: 'devices',
    body: z.object({ sn: DeviceSn }),
    response: z.object({ 'push-key': z.string() }),
  },
  add: {
    summary: 'Add devices by their addresses. Each is identified first, and then counts as accepted.',
    needs: 'devices',
    body: z
      .object({
        ...z.partial(NewDevice).shape,
        /** Several devices instead of one. */
        list: z.optional(
          z.array(NewDevice).check(z.minLength(1, 'required'), z.maxLength(limits.addedDevices.perCall, 'tooLong')),
        ),
      })
      .check(
        z.refine(({ address, list }) => (address === undefined) !== (list === undefined), {
          path: ['address'],
          error: 'required',
        }),
        z.meta({ anyOf: [{ required: ['address'] }, { required: ['list'] }] }),
      ),
    response: z.object({ list: z.array(Added) }),
  },
  discover: {
    summary:
      'Start a task that looks for devices in the private networks of the hub. What it finds are its items, which task/query returns also while it runs.',
    needs: 'devices',
    body: z.object({
      /**
       * Default: all. `mdns`, `ssdp` and `wsDiscovery` ask for announcements; `scan` tries each address, in a network of
       * more than 1024 addresses those around the hub's own one. In IPv6 networks, only `mdns` finds devices.
       */
      methods: z.optional(z.array(z.enum(discoveryMethods, 'choice')).check(z.minLength(1, 'required'))),
      /** Only in this part of the hub's networks, such as `192.168.1.0/24`: /22 to /32. */
      subnet: z.optional(z.string().check(z.maxLength(18, 'tooLong'))),
    }),
    response: z.object({
      /** Id of the task. */
      task: z.int(),
    }),
  },
  set: {
    summary: 'Change a device; omitted members stay unchanged. A new address needs the password again.',
    needs: 'devices',
    body: z.object({
      sn: DeviceSn,
      /** Also renames the device itself if it is online and can be renamed. */
      name: z.optional(DeviceName),
      address: z.optional(DeviceOrStreamAddress),
      /** Only of a device that is a stream; empty: none. */
      snapshot: z.optional(SnapshotAddress),
      /** Only with the driver `v1`. */
      'osc-port': z.optional(Port),
      user: z.optional(User),
      password: z.optional(Password),
      pin: z.optional(DevicePin),
      revision: Revision,
    }),
    response: Revised,
  },
  accept: {
    summary: 'Approve devices that wait for it or were rejected.',
    needs: 'devices',
    body: z.object({
      sn: DeviceSns,
      /** Group of devices that they come into. */
      'catalog-id': z.optional(z.int('number')),
    }),
  },
  reject: {
    summary: 'Reject devices that wait for approval, or no longer accept them.',
    needs: 'devices',
    body: z.object({ sn: DeviceSns }),
  },
  del: {
    summary: 'Delete devices in any state.',
    needs: 'devices',
    body: z.object({ sn: DeviceSns }),
  },
  move: {
    summary: 'Move devices into a group; 0: out of all groups.',
    needs: 'devices',
    body: z.object({ sn: DeviceSns, 'catalog-id': z.int('number') }),
  },
  setSecurity: {
    summary: 'Set who may see devices.',
    needs: 'devices',
    body: z.object({ sn: DeviceSns, security: SecurityChange }),
  },
  getGlobal: {
    summary: 'Get who may see devices by default, and how they connect to the hub by default.',
    needs: 'devices',
    response: z.object({ security: DeviceMasks, config: DeviceConnection, revision: z.int() }),
  },
  setGlobal: {
    summary: 'Set who may see devices by default, and how they connect to the hub by default.',
    needs: 'devices',
    body: z.object({
      security: z.optional(MasksChange),
      config: z.optional(DeviceConnection),
      revision: Revision,
    }),
    response: Revised,
  },
});
