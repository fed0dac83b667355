/**
 * The event stream: `GET /api/events?topics=system,channels:100001:100002`. Each topic first sends `init` with its
 * state, then `change`. Keys after a topic limit it to these objects. A heartbeat comment is sent every 5 s. Each topic
 * has a permission; errors name a topic not allowed.
 */
import type { Alarm } from './alarms.ts';
import type { Channel } from './channels.ts';
import type { Permission } from './permission.ts';
import type { SystemStatus } from './system.ts';
import type { SystemLogLine } from './system-log.ts';
import type { Task } from './tasks.ts';

export const eventTopics = {
  /** Same content as `GET /api/system/status`, every second. */
  system: 'signedIn',
  channels: 'channelView',
  alarms: 'channelView',
  syslog: 'admin',
  tasks: 'signedIn',
} as const satisfies Record<string, 'signedIn' | 'admin' | Permission>;
export type EventTopic = keyof typeof eventTopics;

/**
 * Objects by their keys. `init` has the first of those that exist, `change` complete objects that are new or have
 * changed, and the keys of those that are gone or no longer visible to the reader. A message has about 64 KB; `left` is
 * the number of objects in the messages that follow. A reader that is slow gets the newest state of each object.
 */
export interface ObjectsEvent<T, Key = number> {
  readonly changed: readonly T[];
  readonly removed: readonly Key[];
  readonly left: number;
}

/** `init` has no lines: clients load earlier ones with a call. A change contains new lines; after `init` load again. */
export interface LinesEvent<T> {
  readonly lines: readonly T[];
  /** Id of the newest line, so that a client that loaded the list before can detect missed lines. */
  readonly last: number;
}

export interface TopicData {
  /** One object. */
  system: ObjectsEvent<SystemStatus>;
  channels: ObjectsEvent<Channel>;
  /** The active alarms; one that was cleared is sent once more. */
  alarms: ObjectsEvent<Alarm>;
  syslog: LinesEvent<SystemLogLine>;
  /** Those that the reader may see, without their items. */
  tasks: ObjectsEvent<Task>;
}
/** Data of one SSE message; its event name is `init` or `change`. */
export type EventMessage = { [T in EventTopic]: { topic: T; data: TopicData[T] } }[EventTopic];

export const heartbeatMs = 5000;
