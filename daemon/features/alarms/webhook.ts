/** The alarm webhook: its settings, and the delivery of events to it one at a time. */
import { randomUUID } from 'node:crypto';
import type { Webhook, WebhookAttempt } from '../../contract/alarms.ts';
import { HubError } from '../../lib/hub-error.ts';
import type { Log } from '../../lib/log.ts';
import type { Outgoing } from '../../lib/outgoing.ts';
import type { Database, Queries } from '../../store/database.ts';
import type { Secrets } from '../../store/secrets.ts';
import { openUrl, sealUrl } from '../../store/stored-address.ts';
import { createDelivery } from './delivery.ts';
import { deleteDeliveries } from './delivery-store.ts';
import { postEvent } from './post-event.ts';
import { readWebhook, type WebhookRow, writeWebhook } from './store.ts';

export interface EventFacts {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Name of the hub; absent if none was set. */
  readonly hub?: string;
}

export interface WebhookDeps {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly log: Log;
  readonly now: () => number;
  /** The first delay after a failed attempt, and the maximum. */
  readonly times: { readonly firstRetryMs: number; readonly maxRetryMs: number };
  /** Members that every event has. */
  readonly about: () => EventFacts;
  /** Capacity of the queue. */
  readonly room: number;
  readonly outgoing: Pick<Outgoing, 'choose'>;
}

export interface WebhookChange {
  readonly enabled: boolean;
  readonly url: string;
  /** Undefined keeps the secret, '' removes it. */
  readonly secret: string | undefined;
}

/** The path of a webhook is often its password. */
export function withoutPath<T extends Pick<Webhook, 'url'>>(webhook: T): T & Pick<Webhook, 'url-path-set'> {
  if (webhook.url === '') return webhook;
  const { origin, href } = new URL(webhook.url);
  return { ...webhook, url: origin, 'url-path-set': href !== `${origin}/` };
}

const unset: WebhookRow = { enabled: false, url: '', secret: null };

export type AlarmWebhook = ReturnType<typeof createWebhook>;

export function createWebhook({ db, secrets, log, now, times, room, outgoing, about }: WebhookDeps) {
  const read = (tx: Queries): WebhookRow => {
    const row = readWebhook(tx) ?? unset;
    return { ...row, url: openUrl(secrets, row.url) };
  };
  const post = (id: string, body: string, signal: AbortSignal): Promise<WebhookAttempt> => {
    const { url, secret } = read(db);
    return postEvent({
      ...{ url, id, body, outgoing, signal, now: now() },
      secret: secret === null ? '' : secrets.open(secret),
    });
  };
  const delivery = createDelivery<WebhookAttempt>({
    ...{ db, log, now, room, name: 'webhook', atOnce: 1, times: { ...times, everyMs: 0 } },
    isOn: (tx) => readWebhook(tx)?.enabled ?? false,
    attempt: ([event], signal) => event && post(String(event.id), event.body, signal),
    isAccepted: ({ ok }) => ok,
  });
  return {
    ...delivery,
    view(): Omit<Webhook, 'revision'> {
      const { enabled, url, secret } = read(db);
      return { enabled, url, 'secret-set': secret !== null, ...delivery.state() };
    },
    change(tx: Queries, { enabled, url, secret }: WebhookChange): void {
      const row = read(tx);
      const kept = secret === undefined ? row.secret : secret === '' ? null : secrets.seal(secret);
      writeWebhook(tx, { enabled, url: sealUrl(secrets, url), secret: kept });
      if (url !== row.url) delivery.reset(tx);
      if (!enabled) deleteDeliveries(tx, 'webhook');
    },
    async test(): Promise<WebhookAttempt> {
      if (read(db).url === '') throw new HubError('wrongState', 'no address is configured');
      return delivery.test((signal) => post(randomUUID(), JSON.stringify({ event: 'test', ...about() }), signal));
    },
  };
}
