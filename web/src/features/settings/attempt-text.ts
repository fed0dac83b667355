/** A sentence for the outcome of a webhook delivery. */
import type { I18n } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { WebhookAttempt } from '../../../../daemon/contract/alarms.ts';
import { reasonText } from '../../i18n/reason-text.ts';

export function attemptText(i18n: I18n, { ok, status, reason }: WebhookAttempt): string {
  if (ok) return i18n._(msg`The server accepted it.`);
  if (reason === 'redirected') return i18n._(msg`The server redirected it (${status}). Enter the new address.`);
  if (reason === 'notAccepted') return i18n._(msg`The server did not accept it (${status}).`);
  return reasonText(i18n, reason) ?? '';
}
