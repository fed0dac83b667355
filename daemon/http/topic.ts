import type { EventTopic, TopicData } from '../contract/events.ts';
import type { Permission } from '../contract/permission.ts';

/** Source of a topic of the event stream; a feature passes it to the composition root. */
export interface TopicSource<T extends EventTopic> {
  readonly topic: T;
  /** Removes secrets from the data for readers without a permission; absent if the data has none. */
  readonly redaction?: { readonly unless: Permission; readonly redact: (data: TopicData[T]) => TopicData[T] };
  /** Returns the complete state, sent to each new listener. */
  init(): TopicData[T];
  /** Calls the listener with each change until the returned function is called. Costs nothing without listeners. */
  subscribe(listener: (change: TopicData[T]) => void): () => void;
}

export type AnyTopicSource = { [T in EventTopic]: TopicSource<T> }[EventTopic];
