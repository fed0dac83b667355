import type { EventTopic, TopicData } from '../contract/events.ts';
import type { Permission } from '../contract/permission.ts';

/** Where a topic of the event stream comes from; a feature hands one to the composition root. */
export interface TopicSource<T extends EventTopic> {
  readonly topic: T;
  /** Takes secrets out of the data for readers without a permission; absent when the data has none. */
  readonly redaction?: { readonly unless: Permission; readonly redact: (data: TopicData[T]) => TopicData[T] };
  /** The whole state, sent to each new listener. */
  init(): TopicData[T];
  /** Calls back with what changed until the returned function is called. Costs nothing while nobody listens. */
  subscribe(listener: (change: TopicData[T]) => void): () => void;
}

export type AnyTopicSource = { [T in EventTopic]: TopicSource<T> }[EventTopic];
