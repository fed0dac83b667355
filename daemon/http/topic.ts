/**
 * Topics of the event stream. A topic of objects sends each listener the newest state of what it may see; a topic of
 * lines sends what is appended. Neither queues more for a slow listener than one state per object, or a bounded number
 * of lines.
 */
import type { Scope } from '../contract/calls.ts';
import type { Permission } from '../contract/permission.ts';
import { isGranted } from './access.ts';
import type { Session } from './route.ts';

export interface Listener {
  readonly session: Session;
  /** Keys of the objects that it asked for; undefined: all. */
  readonly only?: ReadonlySet<string> | undefined;
  /** Called when `next` may return a message again. */
  readonly onNews: () => void;
}

/** What one listener has yet to receive of a topic. */
export interface TopicView {
  /** Returns the next message as bytes of the stream, or undefined if the listener has received everything. */
  next(): Uint8Array | undefined;
  /** Sends objects that have become visible to the listener, and removes those that no longer are. */
  recheck(): void;
  close(): void;
}

export interface Topic {
  readonly name: string;
  readonly scope: Scope;
  open(listener: Listener): TopicView;
}

export type Key = number | string;

interface ObjectTopicOptions<T> {
  readonly name: string;
  readonly scope: Scope;
  /** Returns the objects that `init` contains, in this order. */
  readonly all: () => Iterable<T>;
  /** Returns undefined for an object that no longer exists. */
  readonly find: (key: Key) => T | undefined;
  readonly keyOf: (object: T) => Key;
  /** Default: the object itself is sent. */
  readonly show?: (object: T) => unknown;
  /** Default: everyone who may read the topic. */
  readonly canSee?: (session: Session, object: T) => boolean;
  /** Removes secrets from an object for listeners without a permission. */
  readonly redaction?: { readonly unless: Permission; readonly redact: (object: T) => unknown };
  /**
   * Called with the first listener. `changed` takes the keys of objects that may have changed; equal states are not
   * sent again. The returned function is called when the last listener has left.
   */
  readonly watch: (changed: (keys: Iterable<Key>) => void) => () => void;
}

/** Changes of an object within this time are sent as one. */
const tickMs = 100;
/** Size of a message above which the remaining objects follow in the next one. */
const pageBytes = 64 << 10;

interface Version<T> {
  readonly object: T;
  readonly text: Buffer;
  /** Made for the first listener that needs it. */
  redacted?: Buffer;
}

/** Each state of an object is serialized once for all listeners. */
class ObjectTopic<T> implements Topic {
  readonly name: string;
  readonly scope: Scope;
  readonly options: ObjectTopicOptions<T>;
  readonly #views = new Set<ObjectView<T>>();
  readonly #versions = new Map<Key, Version<T>>();
  readonly #marked = new Set<Key>();
  #leave: (() => void) | undefined;
  #timer: Timer | undefined;
  #flushedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ObjectTopicOptions<T>) {
    this.name = options.name;
    this.scope = options.scope;
    this.options = options;
  }

  open(listener: Listener): TopicView {
    const view = new ObjectView(this, listener);
    this.#views.add(view);
    this.#leave ??= this.options.watch((keys) => this.#mark(keys));
    return view;
  }

  forget(view: ObjectView<T>): void {
    if (!this.#views.delete(view) || this.#views.size > 0) return;
    this.#leave?.();
    this.#leave = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#marked.clear();
    this.#versions.clear();
  }

  /** Returns the state that listeners are sent, or undefined if the object does not exist. */
  versionOf(key: Key): Version<T> | undefined {
    const known = this.#versions.get(key);
    if (known) return known;
    const object = this.options.find(key);
    if (object === undefined) return undefined;
    const { show } = this.options;
    const version = { object, text: Buffer.from(JSON.stringify(show ? show(object) : object)) };
    this.#versions.set(key, version);
    return version;
  }

  refresh(key: Key, object: T): void {
    if (this.#versions.get(key)?.object !== object) this.#versions.delete(key);
  }

  #mark(keys: Iterable<Key>): void {
    for (const key of keys) this.#marked.add(key);
    if (this.#marked.size === 0) return;
    this.#timer ??= setTimeout(() => this.#flush(), Math.max(0, this.#flushedAt + tickMs - performance.now()));
  }

  #flush(): void {
    this.#timer = undefined;
    this.#flushedAt = performance.now();
    for (const key of this.#marked) {
      const before = this.#versions.get(key);
      this.#versions.delete(key);
      const after = this.versionOf(key);
      if (before && after?.text.equals(before.text)) continue;
      for (const view of this.#views) view.mark(key);
    }
    this.#marked.clear();
    for (const view of [...this.#views]) view.listener.onNews();
  }
}

class ObjectView<T> implements TopicView {
  readonly listener: Listener;
  readonly #topic: ObjectTopic<T>;
  readonly #redact: ((object: T) => unknown) | undefined;
  /** Objects that the listener knows. */
  readonly #sent = new Set<Key>();
  readonly #due = new Set<Key>();
  #hasStarted = false;

  constructor(topic: ObjectTopic<T>, listener: Listener) {
    const { redaction } = topic.options;
    this.listener = listener;
    this.#topic = topic;
    this.#redact = redaction && !isGranted(listener.session, redaction.unless) ? redaction.redact : undefined;
  }

  mark(key: Key): void {
    if (this.#hasStarted && this.#isAskedFor(key)) this.#due.add(key);
  }

  next(): Uint8Array | undefined {
    const isFirst = !this.#hasStarted;
    if (isFirst) this.#begin();
    const changed: Buffer[] = [];
    const removed: Key[] = [];
    let size = 0;
    for (const key of this.#due) {
      if (size >= pageBytes) break;
      this.#due.delete(key);
      const version = this.#topic.versionOf(key);
      if (version && this.#sees(version.object)) {
        const text = this.#textOf(version);
        changed.push(text);
        size += text.length;
        this.#sent.add(key);
      } else if (this.#sent.delete(key)) removed.push(key);
    }
    if (!isFirst && changed.length + removed.length === 0) return undefined;
    const parts = changed.flatMap((text, at) => (at === 0 ? [text] : [comma, text]));
    const [head, tail] = [
      `event: ${isFirst ? 'init' : 'change'}\ndata: {"topic":"${this.#topic.name}","data":{"changed":[`,
      `],"removed":${JSON.stringify(removed)},"left":${this.#due.size}}}\n\n`,
    ];
    return Buffer.concat([Buffer.from(head), ...parts, Buffer.from(tail)]);
  }

  recheck(): void {
    if (!this.#hasStarted) return;
    const { all, keyOf } = this.#topic.options;
    const known = new Set(this.#sent);
    for (const object of all()) {
      const key = keyOf(object);
      this.#topic.refresh(key, object);
      if (known.delete(key) !== this.#sees(object)) this.mark(key);
    }
    for (const key of known) this.mark(key);
  }

  close(): void {
    this.#topic.forget(this);
  }

  #begin(): void {
    this.#hasStarted = true;
    const { all, keyOf } = this.#topic.options;
    for (const object of all()) this.mark(keyOf(object));
  }

  #isAskedFor(key: Key): boolean {
    return this.listener.only?.has(String(key)) ?? true;
  }

  #sees(object: T): boolean {
    return this.#topic.options.canSee?.(this.listener.session, object) ?? true;
  }

  #textOf(version: Version<T>): Buffer {
    if (this.#redact === undefined) return version.text;
    version.redacted ??= Buffer.from(JSON.stringify(this.#redact(version.object)));
    return version.redacted;
  }
}

const comma = Buffer.from(',');

export function createObjectTopic<T>(options: ObjectTopicOptions<T>): Topic {
  return new ObjectTopic(options);
}

interface LineTopicOptions<T> {
  readonly name: string;
  readonly scope: Scope;
  readonly idOf: (line: T) => number;
  /** Returns the id of the newest line, 0 if there is none. */
  readonly last: () => number;
  /** Calls the listener with new lines, oldest first, until the returned function is called. */
  readonly subscribe: (listener: (lines: readonly T[]) => void) => () => void;
}

/** A listener that has more lines to receive starts again, as after a reconnect. */
const maxWaitingLines = 5000;
const linesAtOnce = 500;

/** A topic of lines that have been appended, such as a log. `init` has no lines; clients load earlier ones by a call. */
export function createLineTopic<T>({ name, scope, idOf, last, subscribe }: LineTopicOptions<T>): Topic {
  const message = (event: 'init' | 'change', lines: readonly T[], newest: number) => {
    const data = { topic: name, data: { lines, last: newest } };
    return Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  return {
    ...{ name, scope },
    open({ onNews }) {
      let hasStarted = false;
      let waiting: T[] = [];
      const stop = subscribe((lines) => {
        if (!hasStarted) return;
        waiting.push(...lines);
        if (waiting.length > maxWaitingLines) hasStarted = false;
        onNews();
      });
      return {
        next() {
          if (!hasStarted) {
            hasStarted = true;
            waiting = [];
            return message('init', [], last());
          }
          const lines = waiting.splice(0, linesAtOnce);
          const newest = lines.at(-1);
          return newest && message('change', lines, idOf(newest));
        },
        recheck() {},
        close: stop,
      };
    },
  };
}
