/** Channels on the event stream: statistics once a second, states immediately. */
import type { Channel } from '../../contract/channels.ts';
import { eventTopics } from '../../contract/events.ts';
import { createObjectTopic, type Topic } from '../../http/topic.ts';
import { withoutPushKey } from './view.ts';

interface TopicDeps {
  readonly views: () => Channel[];
  /** Undefined if there is no such channel. */
  readonly viewOf: (id: number) => Channel | undefined;
  /** Calls the listener when the views may have changed, until the returned function is called. */
  readonly onChange: (listener: () => void) => () => void;
}

/** Several states that change together are sent in one message. */
const urgentMs = 100;
const figuresMs = 1000;

export function createChannelTopic(deps: TopicDeps): Topic {
  const { views, viewOf } = deps;
  return createObjectTopic<Channel>({
    name: 'channels',
    scope: eventTopics.channels,
    all: views,
    find: (id) => viewOf(Number(id)),
    keyOf: ({ id }) => id,
    redaction: { unless: 'channelEdit', redact: withoutPushKey },
    watch: (changed) => watchChannels(deps, changed),
  });
}

function watchChannels({ views, onChange }: TopicDeps, changed: (ids: Iterable<number>) => void): () => void {
  let known = noteOf(views());
  let timer: Timer | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  const flush = (): void => {
    dueAt = Number.POSITIVE_INFINITY;
    const before = known;
    known = noteOf(views());
    changed(before.ids.union(known.ids));
  };
  const leave = onChange(() => {
    const now = performance.now();
    const isUrgent = statesOf(views()) !== known.states;
    const at = isUrgent ? now + urgentMs : Math.max(now, known.at + figuresMs);
    if (at >= dueAt) return;
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(flush, at - now);
  });
  return () => {
    leave();
    clearTimeout(timer);
  };
}

function noteOf(channels: readonly Channel[]) {
  return { ids: new Set(channels.map(({ id }) => id)), states: statesOf(channels), at: performance.now() };
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
