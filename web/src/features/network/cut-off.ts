import type { I18n } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { Confirm } from '../../ui/overlay/confirm.ts';

/** Asks a user who is connected to the console through Wi-Fi before the hub joins another network. */
export function cutOff(i18n: I18n, name: string, run: () => Promise<unknown>): Confirm {
  return {
    title: i18n._(msg`Join “${name}” and leave this network?`),
    consequence: i18n._(
      msg`You are connected to the console through Wi-Fi. The hub gets another address, at which you have to open the console again.`,
    ),
    verb: i18n._(msg`Join anyway`),
    isDangerous: true,
    run,
    done: i18n._(msg`The hub has joined “${name}”.`),
  };
}
