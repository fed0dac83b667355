/** Sentences for the rule words that the contract's schemas and the hub's field faults carry. */
import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';

const text: Record<string, MessageDescriptor> = {
  required: msg`Required`,
  tooShort: msg`Too short`,
  tooLong: msg`Too long`,
  outerSpace: msg`No space at the beginning or end`,
  characters: msg`Contains a character that is not allowed here`,
  number: msg`Enter a whole number`,
  range: msg`Out of range`,
  host: msg`Enter an IP address or a host name`,
  rtmpUrl: msg`Enter an address such as rtmp://host/app`,
  differ: msg`Passwords don't match`,
  weak: msg`The password does not follow the rules yet`,
  exists: msg`Already in use`,
  sameKey: msg`The push key and the play key must differ`,
  occupied: msg`This port is already in use`,
  passphraseNeeded: msg`Encryption needs a passphrase`,
};

export function ruleText(i18n: I18n, rule: string): string {
  return i18n._(text[rule] ?? msg`Invalid entry`);
}

/** A rule whose limits help whoever reads it. */
export function rangeText(i18n: I18n, { min, max }: { min: number; max: number }): string {
  return i18n._(msg`Enter a whole number from ${min} to ${max}`);
}
