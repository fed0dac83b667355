/** Feeds the event stream into the Query cache and resumes the stream after a loss. */
import { useEffect } from 'react';
import type { EventMessage, EventTopic } from '../../../daemon/contract/events.ts';
import { keepAlarms } from '../features/alarms/alarm-events.ts';
import { applyChannelsEvent, channelsQuery } from '../features/channels/channels-query.ts';
import { systemStatusQuery } from '../features/dashboard/system-query.ts';
import { loadPart } from '../lib/lazy-part.ts';
import { connection } from './connection.ts';
import { createEventLink, type EventKind } from './event-link.ts';
import { queryClient } from './query-client.ts';
import { sessionQuery } from './session.ts';
import { useSessionEnded } from './session-end.ts';

const link = createEventLink({
  onMessage: keep,
  // A change of permissions ends the stream; one between the session request and the opening would be missed.
  onOpen: () => void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  onLost: connection.suspect,
});

connection.onRecovered(() => {
  // The hub refuses requests until the user signs in again; the connection is checked again then.
  if (useSessionEnded.getState().hasEnded) return;
  link.resume();
  void queryClient.invalidateQueries();
});

function keep(kind: EventKind, message: EventMessage): void {
  switch (message.topic) {
    case 'system':
      connection.sawBuild(message.data.system.info['build-id']);
      queryClient.setQueryData(systemStatusQuery.queryKey, message.data);
      return;
    case 'channels':
      queryClient.setQueryData(channelsQuery.queryKey, (before) => applyChannelsEvent(before, kind, message.data));
      return;
    case 'syslog':
      // Loaded with the page that shows the log, not with the first page.
      void loadPart(() => import('../features/logs/live-lines.ts')).then(({ keepLines }) =>
        keepLines(kind, message.data),
      );
      return;
    case 'alarms':
      keepAlarms(queryClient, kind, message.data);
      return;
  }
}

/** Subscribes to a topic while the component is mounted. */
export function useTopic(topic: EventTopic, isWanted: boolean): void {
  useEffect(() => (isWanted ? link.want(topic) : undefined), [topic, isWanted]);
}
