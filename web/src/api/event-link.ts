/**
 * The single event stream of a tab. Its topics are those that mounted components subscribe to; it is closed while the
 * tab is hidden, and a silent stream counts as lost even if the browser still considers it open.
 */
import { type EventMessage, type EventTopic, heartbeatMs, type StopEvent } from '../../../daemon/contract/events.ts';
import { addressOf } from './client.ts';

export type EventKind = 'init' | 'change';

interface EventLinkOptions {
  /** Resolves once the first subscriptions are known, so that the stream is not opened again for each of them. */
  readonly ready: Promise<void>;
  readonly onMessage: (kind: EventKind, message: EventMessage) => void;
  /** From here on the hub pushes changes; data fetched earlier may be stale. */
  readonly onOpen: () => void;
  readonly onLost: () => void;
  /** The hub is being stopped; the loss follows. */
  readonly onStop: (last: StopEvent) => void;
}

interface EventLink {
  /** Subscribes until the returned function is called. */
  want: (topic: EventTopic) => () => void;
  /** Reopens the stream after a loss. */
  resume: () => void;
  isLive: () => boolean;
}

/** Heartbeats are comments, which a page never sees, but the `system` topic sends an event every second. */
const silenceMs = heartbeatMs + 3000;
/** Collects the topics of one page into one stream and keeps the stream open across page changes. */
const settleMs = 50;

export function createEventLink({ ready, onMessage, onOpen, onLost, onStop }: EventLinkOptions): EventLink {
  const wanted = new Map<EventTopic, number>();
  let source: EventSource | undefined;
  let openTopics = '';
  let isReady = false;
  let isLost = false;
  let hasData = false;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let settle: ReturnType<typeof setTimeout> | undefined;

  const close = () => {
    source?.close();
    source = undefined;
    openTopics = '';
    hasData = false;
    clearTimeout(silence);
  };
  const lose = () => {
    close();
    isLost = true;
    onLost();
  };
  const watch = () => {
    clearTimeout(silence);
    silence = setTimeout(lose, silenceMs);
  };
  const receive = (kind: EventKind) => (event: MessageEvent<string>) => {
    hasData = true;
    watch();
    onMessage(kind, JSON.parse(event.data));
  };
  const sync = () => {
    const topics = [...wanted.keys()].toSorted().join(',');
    if (!isReady || topics === '' || document.hidden || isLost)
      return topics === '' || document.hidden ? close() : undefined;
    if (source !== undefined && topics === openTopics) return;
    close();
    openTopics = topics;
    source = new EventSource(addressOf('/api/events', { topics, changes: 'patch' }));
    source.addEventListener('open', onOpen);
    source.addEventListener('init', receive('init'));
    source.addEventListener('change', receive('change'));
    source.addEventListener('stop', ({ data }: MessageEvent<string>) => onStop(JSON.parse(data)));
    source.addEventListener('error', lose);
    watch();
  };
  const syncSoon = () => {
    clearTimeout(settle);
    settle = setTimeout(sync, settleMs);
  };
  void ready.then(() => {
    isReady = true;
    syncSoon();
  });
  document.addEventListener('visibilitychange', sync);
  window.addEventListener('pagehide', close);
  window.addEventListener('pageshow', syncSoon);

  return {
    want(topic) {
      wanted.set(topic, (wanted.get(topic) ?? 0) + 1);
      syncSoon();
      return () => {
        const left = (wanted.get(topic) ?? 1) - 1;
        if (left > 0) wanted.set(topic, left);
        else wanted.delete(topic);
        syncSoon();
      };
    },
    resume() {
      isLost = false;
      syncSoon();
    },
    isLive: () => hasData,
  };
}
