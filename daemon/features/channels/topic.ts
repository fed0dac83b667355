/** Channels on the event stream: statistics once a second, states immediately. */
import type { Channel } from '../../contract/channels.ts';
import type { ChannelsEvent } from '../../contract/events.ts';
import type { TopicSource } from '../../http/topic.ts';
import { createEmitter } from '../../lib/emitter.ts';
import { withoutPushKey } from './view.ts';

interface TopicDeps {
  readonly views: () => Channel[];
  /** Calls the listener when the views may have changed, until the returned function is called. */
  readonly onChange: (listener: () => void) => () => void;
}

/** Several states that change together are sent in one message. */
const urgentMs = 100;
const figuresMs = 1000;

export function createChannelTopic({ views, onChange }: TopicDeps): TopicSource<'channels'> {
  const changes = createEmitter<[ChannelsEvent]>();
  let sent: Sent = { texts: new Map(), states: '' };
  let sentAt = 0;
  let timer: Timer | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let leave: (() => void) | undefined;

  const flush = (): void => {
    dueAt = Number.POSITIVE_INFINITY;
    sentAt = performance.now();
    const now = views();
    const change = difference(sent.texts, now);
    sent = remember(now);
    if (change.changed.length === 0 && change.removed.length === 0) return;
    changes.emit(change);
  };
  const schedule = (): void => {
    const isUrgent = statesOf(views()) !== sent.states;
    const at = isUrgent ? performance.now() + urgentMs : Math.max(performance.now(), sentAt + figuresMs);
    if (at >= dueAt) return;
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(flush, at - performance.now());
  };
  const begin = (): void => {
    sent = remember(views());
    sentAt = performance.now();
    leave = onChange(schedule);
  };
  const end = (): void => {
    leave?.();
    clearTimeout(timer);
    dueAt = Number.POSITIVE_INFINITY;
  };

  return {
    topic: 'channels',
    redaction: {
      unless: 'channelEdit',
      redact: ({ changed, removed }) => ({ changed: changed.map(withoutPushKey), removed }),
    },
    init: () => ({ changed: views(), removed: [] }),
    subscribe(listener) {
      if (changes.count() === 0) begin();
      const stop = changes.on(listener);
      return () => {
        if (stop() && changes.count() === 0) end();
      };
    },
  };
}

/** What the listeners have been sent. */
interface Sent {
  readonly texts: ReadonlyMap<number, string>;
  readonly states: string;
}

function remember(channels: readonly Channel[]): Sent {
  return {
    texts: new Map(channels.map((channel) => [channel.id, JSON.stringify(channel)])),
    states: statesOf(channels),
  };
}

function difference(texts: ReadonlyMap<number, string>, channels: Channel[]): ChannelsEvent {
  const ids = new Set(channels.map(({ id }) => id));
  return {
    changed: channels.filter((channel) => texts.get(channel.id) !== JSON.stringify(channel)),
    removed: [...texts.keys()].filter((id) => !ids.has(id)),
  };
}

/** Everything except the statistics: a difference here is sent immediately. */
function statesOf(channels: readonly Channel[]): string {
  const connectionState = (connection: Channel['input'] | Channel['outputs']['list'][number]) =>
    [
      connection.id,
      connection.name,
      connection.addr,
      connection['conn-state'],
      connection.state,
      connection.reason,
    ].join();
  return channels
    .map(({ id, name, state, applied, config, input, failover, outputs, clients }) => {
      const own = [id, name, state, applied, JSON.stringify(config), outputs.total, clients.total].join();
      const inputs = failover ? [input, failover.main, failover.backup] : [input];
      const rule = failover && [failover.active, failover.switches, JSON.stringify(failover.rule)].join();
      const enabled = outputs.list.map(({ enable }) => enable).join();
      return [own, enabled, rule, ...inputs.map(connectionState), ...outputs.list.map(connectionState)].join(';');
    })
    .join('\n');
}
