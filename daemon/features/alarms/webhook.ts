/**
 * Webhook deliveries: stored in the database until the target accepts them, sent one at a time and in order. A target
 * that does not respond gets at most one call every ten minutes, and never blocks the hub.
 */
import { randomUUID } from 'node:crypto';
import type { Alarm, Webhook, WebhookAttempt } from '../../contract/alarms.ts';
import { HubError } from '../../lib/hub-error.ts';
import type { Log } from '../../lib/log.ts';
import type { Outgoing } from '../../lib/outgoing.ts';
import type { Database, Queries } from '../../store/database.ts';
import type { Secrets } from '../../store/secrets.ts';
import { openUrl, sealUrl } from '../../store/stored-address.ts';
import { deliver } from './deliver.ts';
import {
  countDeliveries,
  deleteDeliveries,
  deleteDeliveriesUpTo,
  firstDelivery,
  insertDelivery,
  readWebhook,
  type WebhookRow,
  writeWebhook,
} from './store.ts';

export interface WebhookDeps {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly log: Log;
  readonly now: () => number;
  /** The first delay after a failed attempt, and the maximum. */
  readonly retry: { readonly firstMs: number; readonly maxMs: number };
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

export const webhookRoom = 1000;

const unset: WebhookRow = { enabled: false, url: '', secret: null, dropped: 0, last: null };

export type AlarmWebhook = ReturnType<typeof createWebhook>;

export function createWebhook({ db, secrets, log, now, retry, room, outgoing }: WebhookDeps) {
  const stopped = new AbortController();
  let failures = 0;
  let timer: Timer | undefined;
  let retryAt = 0;
  let isSending = false;
  let isTesting = false;

  const read = (tx: Queries): WebhookRow => {
    const row = readWebhook(tx) ?? unset;
    return { ...row, url: openUrl(secrets, row.url) };
  };
  const write = (tx: Queries, row: WebhookRow) => writeWebhook(tx, { ...row, url: sealUrl(secrets, row.url) });
  const settings = () => read(db);
  const secretOf = ({ secret }: WebhookRow): string => (secret === null ? '' : secrets.open(secret));
  const attempt = async (row: WebhookRow, id: string, body: string): Promise<WebhookAttempt> => {
    const at = { now: now(), signal: stopped.signal };
    const ended = await deliver({ url: row.url, secret: secretOf(row), id, body, outgoing, ...at });
    // The target may have changed in the meantime; the result of the old one is then not stored.
    if (!stopped.signal.aborted && settings().url === row.url) {
      write(db, { ...settings(), last: { ...ended, time: now() } });
    }
    return ended;
  };

  const wait = (): void => {
    const ms = Math.min(retry.maxMs, retry.firstMs * 2 ** (failures - 1));
    retryAt = now() + ms;
    timer = setTimeout(() => {
      timer = undefined;
      void run();
    }, ms);
  };

  /** Delivers until the queue is empty or a delivery fails. */
  const run = async (): Promise<void> => {
    if (isSending || timer !== undefined || stopped.signal.aborted) return;
    isSending = true;
    try {
      while (!stopped.signal.aborted) {
        const row = settings();
        const first = row.enabled ? firstDelivery(db) : undefined;
        if (!first) return;
        const { ok, reason } = await attempt(row, String(first.id), first.body);
        if (stopped.signal.aborted) return;
        if (ok) {
          failures = 0;
          deleteDeliveriesUpTo(db, first.id);
        } else if (settings().url === row.url) {
          failures++;
          if (failures === 1) log.warn('the alarm webhook did not accept an event', { reason });
          return wait();
        }
      }
    } catch (error) {
      failures++;
      log.error('alarm events can’t be delivered', { reason: String(error) });
      wait();
    } finally {
      isSending = false;
    }
  };

  const add = (tx: Queries, body: string): void => {
    const id = insertDelivery(tx, body);
    const over = countDeliveries(tx) - room;
    if (over <= 0) return;
    // Queued ids have no gaps, because only the oldest entries are removed.
    deleteDeliveriesUpTo(tx, id - room);
    const row = readWebhook(tx) ?? unset;
    writeWebhook(tx, { ...row, dropped: row.dropped + over });
  };

  return {
    view(): Omit<Webhook, 'revision'> {
      const { enabled, url, secret, dropped, last } = settings();
      return {
        ...{ enabled, url, 'secret-set': secret !== null, waiting: countDeliveries(db), dropped },
        ...(timer !== undefined && { 'retry-in-ms': Math.max(0, retryAt - now()) }),
        ...(last && { last }),
      };
    },
    /** Runs in the caller's transaction; call `wake` after it. */
    add(tx: Queries, event: 'raised' | 'cleared', alarm: Alarm): void {
      const { enabled } = readWebhook(tx) ?? unset;
      if (enabled) add(tx, JSON.stringify({ event, time: now(), alarm }));
    },
    change(tx: Queries, { enabled, url, secret }: WebhookChange): void {
      const row = read(tx);
      const kept = secret === undefined ? row.secret : secret === '' ? null : secrets.seal(secret);
      const isSame = url === row.url;
      write(tx, {
        ...{ enabled, url, secret: kept },
        ...(isSame ? { dropped: row.dropped, last: row.last } : { dropped: 0, last: null }),
      });
      if (!enabled) deleteDeliveries(tx);
    },
    /** Call when there may be something to deliver, or the target has changed. */
    wake({ isNewTarget }: { readonly isNewTarget: boolean }): void {
      if (isNewTarget) {
        clearTimeout(timer);
        timer = undefined;
        failures = 0;
      }
      void run();
    },
    async test(): Promise<WebhookAttempt> {
      const row = settings();
      if (row.url === '') throw new HubError('wrongState', 'no address is set');
      if (isTesting) throw new HubError('inProgress', 'a test is on its way');
      isTesting = true;
      try {
        return await attempt(row, randomUUID(), JSON.stringify({ event: 'test', time: now() }));
      } finally {
        isTesting = false;
      }
    },
    close(): void {
      clearTimeout(timer);
      stopped.abort();
    },
  };
}
