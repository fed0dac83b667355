/** Passes events to the modules that keep their topics, and resumes the stream after a loss. */
import { useEffect } from 'react';
import type { EventMessage, EventTopic } from '../../../daemon/contract/events.ts';
import { firstPageLoaded } from '../lib/first-page.ts';
import { connection } from './connection.ts';
import { createEventLink, type EventKind } from './event-link.ts';
import { queryClient } from './query-client.ts';
import { sessionQuery } from './session.ts';
import { useSessionEnded } from './session-end.ts';
import { createWholeObjects } from './whole-objects.ts';

type DataOf<Name extends EventTopic> = Extract<EventMessage, { topic: Name }>['data'];
type Keep<Data> = (kind: EventKind, data: Data) => void;

interface Topic {
  readonly name: EventTopic;
}

const keepers = new Map<EventTopic, Keep<never>>();

/** Declares who keeps the events of a topic; each topic has one module that does. */
export function defineTopic<Name extends EventTopic>(name: Name, keep: Keep<DataOf<Name>>): Topic {
  keepers.set(name, keep);
  return { name };
}

const whole = createWholeObjects();

/** The stream opens without the first page if its code has not come by then. */
const firstPageMs = 3000;
const passed = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const nextFrame = () => new Promise<void>((resolve) => requestAnimationFrame(() => resolve()));

/** The page subscribes when it has been drawn. */
async function firstPageIsShown(): Promise<void> {
  await firstPageLoaded;
  await nextFrame();
  await nextFrame();
}

const link = createEventLink({
  ready: Promise.race([firstPageIsShown(), passed(firstPageMs)]),
  onMessage(kind, message) {
    const { topic, data } = whole(kind, message);
    keepers.get(topic)?.(kind, data as never);
  },
  // A change of permissions ends the stream; one between the session request and the opening would be missed.
  onOpen: () => void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  onLost: connection.suspect,
  onStop: connection.stopping,
});

connection.onRecovered(() => {
  // The hub refuses requests until the user signs in again; the connection is checked again then.
  if (useSessionEnded.getState().hasEnded) return;
  link.resume();
  void queryClient.invalidateQueries();
});

/** Subscribes to a topic for some time, so that its first message arrives before a component subscribes. */
export function holdTopic({ name }: Topic, ms: number): void {
  setTimeout(link.want(name), ms);
}

/** Subscribes to a topic while the component is mounted. */
export function useTopic({ name }: Topic, isWanted: boolean): void {
  useEffect(() => (isWanted ? link.want(name) : undefined), [name, isWanted]);
}
