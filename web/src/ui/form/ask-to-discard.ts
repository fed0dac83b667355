import type { I18n } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { confirm } from '../overlay/confirm.ts';

/** Asks whether typed values may be lost, then calls `discard`. */
export function askToDiscard(i18n: I18n, discard: () => void): void {
  confirm({
    title: i18n._(msg`Discard what you typed?`),
    consequence: i18n._(msg`Your changes are not saved yet. They will be lost.`),
    verb: i18n._(msg`Discard`),
    keep: i18n._(msg`Keep editing`),
    isDangerous: true,
    run: async () => discard(),
  });
}
