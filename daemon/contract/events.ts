/**
 * The event stream: `GET /api/events?topics=system,channels`. Each topic first sends `init` with its whole state, then
 * `change`. A heartbeat comment every 5 s. Permission per topic; a topic one may not see is refused by name.
 */
import * as z from 'zod/mini';
import type { Alarm } from './alarms.ts';
import { Channel } from './channels.ts';
import type { Permission } from './permission.ts';
import type { SystemStatus } from './system.ts';
import type { SystemLogLine } from './system-log.ts';

export const eventTopics = {
  /** The status as `GET /api/system/status`, every second. */
  system: 'signedIn',
  channels: 'channelView',
  alarms: 'channelView',
  syslog: 'admin',
} as const satisfies Record<string, 'signedIn' | 'admin' | Permission>;
export type EventTopic = keyof typeof eventTopics;

/** `changed` holds whole channels; `removed` ids. `init` has every channel in `changed`. */
export const ChannelsEvent = z.object({ changed: z.array(Channel), removed: z.array(z.number()) });
export type ChannelsEvent = z.infer<typeof ChannelsEvent>;

/** `init` has the alarms that are active; a change those that were raised, grew worse or were cleared. */
export interface AlarmsEvent {
  readonly changed: Alarm[];
}

/** `init` has no lines: what was before is asked by `GET /api/syslog/list`. A change has those that are new. */
export interface SystemLogEvent {
  readonly lines: SystemLogLine[];
  /** Id of the newest line: who has asked for the list before can tell whether lines came in between. */
  readonly last: number;
}

export interface TopicData {
  system: z.infer<typeof SystemStatus>;
  channels: ChannelsEvent;
  alarms: AlarmsEvent;
  syslog: SystemLogEvent;
}
/** Data of one SSE message; its event name is `init` or `change`. */
export type EventMessage = { [T in EventTopic]: { topic: T; data: TopicData[T] } }[EventTopic];

export const heartbeatMs = 5000;
