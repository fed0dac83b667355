import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { RouteResult } from '../../../../daemon/contract/ndi-router.ts';
import type { RouteReason } from '../../../../daemon/contract/ndi-router-words.ts';

const texts: Readonly<Record<Exclude<RouteReason, 'locked'>, MessageDescriptor>> = {
  noOutput: msg`This output no longer exists.`,
  noInput: msg`This input no longer exists.`,
  emptyInput: msg`This input has no source.`,
  itself: msg`An output cannot send itself.`,
  loop: msg`This would be a loop: the source gets its picture from this output.`,
  offline: msg`The source is offline.`,
  others: msg`Not switched, because another output of the salvo was refused.`,
  nothingToUndo: msg`There is nothing to undo.`,
};

/** Why an output was not routed. */
export function reasonText(i18n: I18n, { reason, ...result }: RouteResult): string {
  if (reason === undefined) return '';
  if (reason !== 'locked') return i18n._(texts[reason]);
  return lockedText(i18n, result['locked-by'] ?? '');
}

export function lockedText(i18n: I18n, owner: string): string {
  return i18n._(msg`Locked by ${owner}. Unlock it first.`);
}
