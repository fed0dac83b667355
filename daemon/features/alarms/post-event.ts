/** One attempt to deliver an event to the webhook: a signed POST with a timeout that follows no redirects. */

import { createHmac } from 'node:crypto';
import type { WebhookAttempt } from '../../contract/alarms.ts';
import { fetchFrom, httpPortOf } from '../../lib/fetch-from.ts';
import { type Outgoing, OutgoingError } from '../../lib/outgoing.ts';
import { timing } from '../../timing.ts';

export interface PostedEvent {
  readonly url: string;
  /** '' for none. */
  readonly secret: string;
  /** The same for every attempt. */
  readonly id: string;
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly signal: AbortSignal;
  readonly outgoing: Pick<Outgoing, 'choose'>;
}

export function signatureOf(secret: string, timestamp: string, body: string): string {
  return createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
}

export async function postEvent({
  url,
  secret,
  id,
  body,
  now,
  signal,
  outgoing,
}: PostedEvent): Promise<WebhookAttempt> {
  const timestamp = String(Math.floor(now / 1000));
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Signalbox',
    'signalbox-delivery': id,
    'signalbox-timestamp': timestamp,
    ...(secret !== '' && { 'signalbox-signature': signatureOf(secret, timestamp, body) }),
  };
  try {
    const target = new URL(url);
    const host = target.hostname.replace(/^\[|\]$/g, '');
    const address = await outgoing.choose({ host, port: httpPortOf(target) });
    const either = AbortSignal.any([signal, AbortSignal.timeout(timing.webhook.answerMs)]);
    const answer = await fetchFrom(address, url, { method: 'POST', headers, body, redirect: 'manual', signal: either });
    // The response body is not needed, and may be endless.
    await answer.body?.cancel();
    const { ok, status } = answer;
    if (ok) return { ok, status };
    return { ok, status, reason: status >= 300 && status < 400 ? 'redirected' : 'notAccepted' };
  } catch (error) {
    return { ok: false, status: 0, reason: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof OutgoingError) return error.fault === 'notAllowed' ? 'addressNotAllowed' : 'dnsFailed';
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ConnectionRefused' || code === 'ECONNREFUSED') return 'refused';
  if (/CERT|SIGNATURE|TLS|SSL|HOSTNAME|EPROTO/i.test(code)) return 'tlsFailed';
  return 'unreachable';
}
