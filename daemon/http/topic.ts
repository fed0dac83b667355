/**
 * Topics of the event stream. An object topic sends each listener the newest state of the objects that it may see; a
 * line topic sends appended lines. For a slow listener, a topic queues at most one state per object, or a bounded
 * number of lines.
 */
import type { Scope } from '../contract/calls.ts';
import { diff } from '../contract/patch.ts';
import type { Permission } from '../contract/permission.ts';
import { isGranted } from './access.ts';
import type { Session } from './route.ts';

export interface Listener {
  readonly session: Session;
  /** Keys of the requested objects; undefined: all. */
  readonly only?: ReadonlySet<string> | undefined;
  /** Whether changes are sent as patches. */
  readonly isLean?: boolean;
  /** Called when `next` may return a message again. */
  readonly onNews: () => void;
}

/** The messages of a topic that a listener has yet to receive. */
export interface TopicView {
  /** Returns the next message, encoded for the stream, or undefined if the listener has received everything. */
  next(): Uint8Array | undefined;
  /** Queues objects that have become visible to the listener, and the removal of those that no longer are. */
  recheck(): void;
  close(): void;
}

export interface Topic {
  readonly name: string;
  readonly scope: Scope;
  open(listener: Listener): TopicView;
}

export type Key = number | string;

/**
 * For each listener, an object passes three steps in this order: `canSee` decides on the object itself, also by members
 * that nobody is shown; `show` makes the form of the API, once for all; `redaction` takes members out of that form.
 * `Shown` is what `show` makes of an object.
 */
interface ObjectTopicOptions<T, Shown> {
  readonly name: string;
  readonly scope: Scope;
  /** Returns the objects that `init` contains, in this order. */
  readonly all: () => Iterable<T>;
  /** Returns undefined for an object that no longer exists. */
  readonly find: (key: Key) => T | undefined;
  readonly keyOf: (object: T) => Key;
  /** Default: the object itself is sent. */
  readonly show?: (object: T) => Shown;
  /** Default: every session that may read the topic sees all objects. */
  readonly canSee?: (session: Session, object: T) => boolean;
  /** Removes secrets from what `show` returns, for other listeners. */
  readonly redaction?: { readonly unless: Unless; readonly redact: (shown: Shown) => unknown };
  /** Whether listeners forget the object once they have received it: a last message about what `all` no longer has. */
  readonly isLast?: (object: T) => boolean;
  /**
   * Called with the first listener. `changed` takes the keys of objects that may have changed; a listener gets a state
   * only once. The returned function is called when the last listener has left.
   */
  readonly watch: (changed: (keys: Iterable<Key>) => void) => () => void;
}

/** A permission, or what decides about a session. */
type Unless = Permission | ((session: Session) => boolean);

function isSpared(session: Session, unless: Unless): boolean {
  return typeof unless === 'function' ? unless(session) : isGranted(session, unless);
}

/** Changes of an object within this time are sent as one. */
const tickMs = 100;
/** Size of a message above which the remaining objects follow in the next one. */
const pageBytes = 32 << 10;

/** One state of an object, serialized once for all listeners; a different state is another `Version`. */
interface Version<T, Shown> {
  /** As `canSee` looks at it. It may be newer than the text. */
  object: T;
  readonly shown: Shown;
  readonly text: Buffer;
  /** Made when the first listener needs it, as are the next two. */
  redacted?: unknown;
  redactedText?: Buffer;
  /** The newest patches; listeners that keep up have received the same state `from`. */
  patch?: Patch<T, Shown>;
  redactedPatch?: Patch<T, Shown>;
}

interface Patch<T, Shown> {
  readonly from: Version<T, Shown>;
  /** Undefined if the difference cannot be expressed. */
  readonly text: Buffer | undefined;
}

class ObjectTopic<T, Shown> implements Topic {
  readonly name: string;
  readonly scope: Scope;
  readonly options: ObjectTopicOptions<T, Shown>;
  readonly #views = new Set<ObjectView<T, Shown>>();
  readonly #versions = new Map<Key, Version<T, Shown>>();
  readonly #marked = new Set<Key>();
  #leave: (() => void) | undefined;
  #timer: Timer | undefined;
  #flushedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ObjectTopicOptions<T, Shown>) {
    this.name = options.name;
    this.scope = options.scope;
    this.options = options;
  }

  open(listener: Listener): TopicView {
    this.#leave ??= this.options.watch((keys) => this.#mark(keys));
    const view = new ObjectView(this, listener);
    this.#views.add(view);
    return view;
  }

  forget(view: ObjectView<T, Shown>): void {
    if (!this.#views.delete(view) || this.#views.size > 0) return;
    this.#leave?.();
    this.#leave = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#marked.clear();
    this.#versions.clear();
  }

  /** Returns the latest serialized state, or undefined if the object does not exist. */
  versionOf(key: Key): Version<T, Shown> | undefined {
    const known = this.#versions.get(key);
    if (known) return known;
    const object = this.options.find(key);
    return object === undefined ? undefined : this.#keep(key, object);
  }

  /** Makes `canSee` look at the object as it is now. */
  refresh(key: Key, object: T): void {
    const version = this.#versions.get(key);
    if (version) version.object = object;
  }

  #keep(key: Key, object: T): Version<T, Shown> {
    const { show, isLast } = this.options;
    const shown = (show ? show(object) : object) as Shown;
    const version = { object, shown, text: Buffer.from(JSON.stringify(shown)) };
    if (!isLast?.(object)) this.#versions.set(key, version);
    return version;
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
      this.#update(key);
      for (const view of this.#views) view.mark(key);
    }
    this.#marked.clear();
    for (const view of [...this.#views]) view.listener.onNews();
  }

  /** Keeps the version if the state is the same, so that listeners who know it do not get it again. */
  #update(key: Key): void {
    const before = this.#versions.get(key);
    this.#versions.delete(key);
    const object = this.options.find(key);
    if (object === undefined) return;
    const after = this.#keep(key, object);
    if (!before?.text.equals(after.text) || !this.#versions.has(key)) return;
    before.object = object;
    this.#versions.set(key, before);
  }
}

class ObjectView<T, Shown> implements TopicView {
  readonly listener: Listener;
  readonly #topic: ObjectTopic<T, Shown>;
  readonly #redact: ((shown: Shown) => unknown) | undefined;
  /** The state of each object that the listener has received last. */
  readonly #sent = new Map<Key, Version<T, Shown>>();
  readonly #due = new Set<Key>();
  #hasStarted = false;
  /** The number of objects that the last message announced for the next ones. */
  #announced = 0;

  constructor(topic: ObjectTopic<T, Shown>, listener: Listener) {
    const { redaction } = topic.options;
    this.listener = listener;
    this.#topic = topic;
    this.#redact = redaction && !isSpared(listener.session, redaction.unless) ? redaction.redact : undefined;
  }

  /** Only for objects that the listener knows or sees, so that `left` counts no others. */
  mark(key: Key): void {
    if (!this.#hasStarted || !(this.listener.only?.has(String(key)) ?? true)) return;
    if (this.#sent.has(key) || this.#visible(key)) this.#due.add(key);
  }

  next(): Uint8Array | undefined {
    const isFirst = !this.#hasStarted;
    if (isFirst) this.#start();
    const changed: Buffer[] = [];
    const patched: Buffer[] = [];
    const removed: Key[] = [];
    let size = 0;
    for (const key of this.#due) {
      if (size >= pageBytes) break;
      this.#due.delete(key);
      const version = this.#visible(key);
      if (version === undefined) {
        if (this.#sent.delete(key)) removed.push(key);
      } else if (this.#sent.get(key) !== version) {
        const patch = this.#patchOf(key, version);
        const text = patch ?? this.#textOf(version);
        (patch ? patched : changed).push(text);
        size += text.length;
        if (this.#topic.options.isLast?.(version.object)) this.#sent.delete(key);
        else this.#sent.set(key, version);
      }
    }
    const isEnd = this.#announced > 0 && this.#due.size === 0;
    if (!isFirst && !isEnd && changed.length + patched.length + removed.length === 0) return undefined;
    this.#announced = this.#due.size;
    return this.#message(isFirst ? 'init' : 'change', { changed, patched, removed });
  }

  recheck(): void {
    if (!this.#hasStarted) return;
    const { all, keyOf } = this.#topic.options;
    const known = new Set(this.#sent.keys());
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

  #start(): void {
    this.#hasStarted = true;
    const { all, keyOf } = this.#topic.options;
    for (const object of all()) this.mark(keyOf(object));
  }

  /** Returns the state of the object if it exists and the listener may see it. */
  #visible(key: Key): Version<T, Shown> | undefined {
    const version = this.#topic.versionOf(key);
    return version && this.#sees(version.object) ? version : undefined;
  }

  #sees(object: T): boolean {
    return this.#topic.options.canSee?.(this.listener.session, object) ?? true;
  }

  #textOf(version: Version<T, Shown>): Buffer {
    if (this.#redact === undefined) return version.text;
    version.redactedText ??= Buffer.from(JSON.stringify(this.#shown(version)));
    return version.redactedText;
  }

  #shown(version: Version<T, Shown>): unknown {
    if (this.#redact === undefined) return version.shown;
    version.redacted ??= this.#redact(version.shown);
    return version.redacted;
  }

  /** Returns key and patch, or undefined if the listener gets the whole object. */
  #patchOf(key: Key, version: Version<T, Shown>): Buffer | undefined {
    const from = this.#sent.get(key);
    if (this.listener.isLean !== true || from === undefined) return undefined;
    const place = this.#redact ? 'redactedPatch' : 'patch';
    const known = version[place];
    if (known?.from === from) return known.text;
    const patch = diff(this.#shown(from) as object, this.#shown(version) as object);
    const made = { from, text: patch && Buffer.from(JSON.stringify([key, patch])) };
    version[place] = made;
    return made.text;
  }

  #message(event: 'init' | 'change', { changed, patched, removed }: Parts): Buffer {
    const head = `event: ${event}\ndata: {"topic":"${this.#topic.name}","data":{"changed":[`;
    const middle = patched.length === 0 ? '' : '],"patched":[';
    const tail = `],"removed":${JSON.stringify(removed)},"left":${this.#due.size}}}\n\n`;
    return Buffer.concat([
      ...[Buffer.from(head), ...separated(changed)],
      ...[Buffer.from(middle), ...separated(patched), Buffer.from(tail)],
    ]);
  }
}

interface Parts {
  readonly changed: readonly Buffer[];
  readonly patched: readonly Buffer[];
  readonly removed: readonly Key[];
}

const comma = Buffer.from(',');

function separated(texts: readonly Buffer[]): Buffer[] {
  return texts.flatMap((text, at) => (at === 0 ? [text] : [comma, text]));
}

export function createObjectTopic<T, Shown = T>(options: ObjectTopicOptions<T, Shown>): Topic {
  return new ObjectTopic(options);
}

interface LineTopicOptions<T> {
  readonly name: string;
  readonly scope: Scope;
  readonly idOf: (line: T) => number;
  /** Returns the id of the newest line, or 0 if there is none. */
  readonly last: () => number;
  /** Calls the listener with new lines, oldest first, until the returned function is called. */
  readonly subscribe: (listener: (lines: readonly T[]) => void) => () => void;
}

/** If more lines than this wait for a listener, it starts over with `init`, as after a reconnect. */
const maxWaitingLines = 5000;
const linesAtOnce = 500;

/** Creates a topic of appended lines, such as a log. `init` has no lines; clients load earlier ones with a call. */
export function createLineTopic<T>({ name, scope, idOf, last, subscribe }: LineTopicOptions<T>): Topic {
  const message = (event: 'init' | 'change', lines: readonly T[], newest: number) => {
    const data = { topic: name, data: { lines, last: newest } };
    return Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  return {
    ...{ name, scope },
    open({ onNews }) {
      let hasStarted = false;
      let waiting: readonly T[] = [];
      const stop = subscribe((lines) => {
        if (!hasStarted) return;
        waiting = [...waiting, ...lines];
        if (waiting.length > maxWaitingLines) hasStarted = false;
        onNews();
      });
      return {
        next() {
          if (!hasStarted) {
            const first = message('init', [], last());
            hasStarted = true;
            waiting = [];
            return first;
          }
          const lines = waiting.slice(0, linesAtOnce);
          waiting = waiting.slice(lines.length);
          const newest = lines.at(-1);
          return newest && message('change', lines, idOf(newest));
        },
        recheck() {},
        close: stop,
      };
    },
  };
}
