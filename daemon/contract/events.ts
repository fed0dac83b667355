/**
 * The event stream: `GET /api/events?topics=system,channels`. Each topic first sends `init` with its whole state, then
 * `change`. A heartbeat comment is sent every 5 s. Each topic has a permission; errors name a topic not allowed.
 */
import type { Alarm } from './alarms.ts';
import type { Channel } from './channels.ts';
import type { Permission } from './permission.ts';
import type { SystemStatus } from './system.ts';
import type { SystemLogLine } from './system-log.ts';

export const eventTopics = {
  /** Same content as `GET /api/system/status`, every second. */
  system: 'signedIn',
  channels: 'channelView',
  alarms: 'channelView',
  syslog: 'admin',
} as const satisfies Record<string, 'signedIn' | 'admin' | Permission>;
export type EventTopic = keyof typeof eventTopics;

/** `changed` contains complete channels, `removed` ids. In `init`, `changed` lists every channel. */
export interface ChannelsEvent {
  readonly changed: Channel[];
  readonly removed: number[];
}

/** `init` contains the active alarms; a change those that were raised, became worse or were cleared. */
export interface AlarmsEvent {
  readonly changed: Alarm[];
}

/** `init` has no lines: clients load earlier ones with `GET /api/syslog/list`. A change contains the new lines. */
export interface SystemLogEvent {
  readonly lines: SystemLogLine[];
  /** Id of the newest line, so that a client that loaded the list before can detect missed lines. */
  readonly last: number;
}

export interface TopicData {
  system: SystemStatus;
  channels: ChannelsEvent;
  alarms: AlarmsEvent;
  syslog: SystemLogEvent;
}
/** Data of one SSE message; its event name is `init` or `change`. */
export type EventMessage = { [T in EventTopic]: { topic: T; data: TopicData[T] } }[EventTopic];

export const heartbeatMs = 5000;
