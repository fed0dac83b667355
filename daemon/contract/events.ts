/**
 * The event stream: `GET /api/events?topics=system,channels:100001:100002`. Each topic first sends `init` with its
 * state, then `change`. Keys after a topic limit it to these objects. A heartbeat comment is sent every 5 s. Each topic
 * requires a permission; if the caller lacks it, the error names the topic.
 *
 * With `changes=patch`, `change` contains only what changed of the objects that the client has received (`patched`), and
 * the stream is compressed for clients that accept gzip. Without it, every changed object is sent whole. The console
 * uses patches; scripts usually do not.
 */
import type { Alarm } from './alarms.ts';
import type { Channel } from './channels.ts';
import type { DeviceGroup } from './device-groups.ts';
import type { Device } from './devices.ts';
import type { Firewall } from './firewall.ts';
import type { Forward } from './forwards.ts';
import type { NdiInput, NdiOutput, NdiRouter, NdiSalvo, NdiSource } from './ndi-router.ts';
import type { Network } from './network.ts';
import type { Patch } from './patch.ts';
import type { Permission } from './permission.ts';
import type { Schedule } from './schedules.ts';
import type { DeviceCounts, SystemStatus } from './system.ts';
import type { SystemLogLine } from './system-log.ts';
import type { Task } from './tasks.ts';

export const eventTopics = {
  /** Same content as `GET /api/system/status`, every second. */
  system: 'signedIn',
  channels: 'channelView',
  alarms: 'channelView',
  syslog: 'admin',
  tasks: 'signedIn',
  devices: 'deviceView',
  'device-groups': 'groupView',
  /** Numbers of the devices that the reader sees. */
  'device-counts': 'deviceView',
  /** Port forwards of devices that the reader sees. */
  forwards: 'deviceView',
  schedules: 'deviceView',
  /** Of the NDI router. */
  'ndi-router': 'ndiView',
  'ndi-inputs': 'ndiView',
  'ndi-outputs': 'ndiView',
  'ndi-sources': 'ndiView',
  'ndi-salvos': 'ndiView',
  /** Of an appliance. */
  network: 'systemView',
  firewall: 'systemView',
} as const satisfies Record<string, 'signedIn' | 'admin' | Permission>;
export type EventTopic = keyof typeof eventTopics;

/**
 * Objects, identified by their keys. `init` contains the first of the existing objects. `change` contains complete
 * objects that are new or have changed, and the keys of those that were deleted or are no longer visible to the client.
 * A message has at most about 32 KiB; `left` is the number of objects in the messages that follow. A slow client gets
 * only the newest state of each object.
 */
export interface ObjectsEvent<T, Key = number> {
  readonly changed: readonly T[];
  /** Only with `changes=patch`: objects that the client has received, by key, each with what changed (patch.ts). */
  readonly patched?: readonly (readonly [key: Key, patch: Patch])[];
  readonly removed: readonly Key[];
  readonly left: number;
}

/** `init` has no lines: after each `init`, clients load earlier lines with a call. `change` contains new lines. */
export interface LinesEvent<T> {
  readonly lines: readonly T[];
  /** Id of the newest line, by which a client that loaded the list earlier can detect missed lines. */
  readonly last: number;
}

export interface TopicData {
  /** A single object. */
  system: ObjectsEvent<SystemStatus>;
  channels: ObjectsEvent<Channel>;
  /** The active alarms; an alarm that is cleared is sent once more. */
  alarms: ObjectsEvent<Alarm>;
  syslog: LinesEvent<SystemLogLine>;
  /** The tasks that the client may see, without their items. */
  tasks: ObjectsEvent<Task>;
  /** By serial number: those that the client may see, in any state of registration. */
  devices: ObjectsEvent<Device, string>;
  'device-groups': ObjectsEvent<DeviceGroup>;
  /** A single object. */
  'device-counts': ObjectsEvent<DeviceCounts>;
  forwards: ObjectsEvent<Forward>;
  schedules: ObjectsEvent<Schedule>;
  /** A single object. */
  'ndi-router': ObjectsEvent<NdiRouter>;
  'ndi-inputs': ObjectsEvent<NdiInput>;
  'ndi-outputs': ObjectsEvent<NdiOutput>;
  /** By name. */
  'ndi-sources': ObjectsEvent<NdiSource, string>;
  'ndi-salvos': ObjectsEvent<NdiSalvo>;
  /** A single object: the same as `GET /api/network/get`, every second. */
  network: ObjectsEvent<Network>;
  /** A single object: the same as `GET /api/firewall/get`, every two seconds. */
  firewall: ObjectsEvent<Firewall>;
}
/** Data of one SSE message; its event name is `init` or `change`. */
export type EventMessage = { [T in EventTopic]: { topic: T; data: TopicData[T] } }[EventTopic];

/** Whether streams outlive the hub: `end` with an engine that the hub started, `continue` with an engine's own unit. */
export type StreamsAfterStop = 'end' | 'continue';
/** Data of the last message, `stop`, which is sent before the hub is stopped or restarted cleanly, and only then. */
export interface StopEvent {
  readonly streams: StreamsAfterStop;
}

export const heartbeatMs = 5000;
