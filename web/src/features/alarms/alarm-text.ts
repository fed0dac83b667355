/** Alarms in words: what is wrong, and its figures. */
import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { AlarmKind } from '../../../../daemon/contract/alarms.ts';

const kinds: Record<AlarmKind, MessageDescriptor> = {
  'no-input': msg`No input`,
  'no-video': msg`No picture`,
  'no-audio': msg`No sound`,
  'bitrate-below': msg`Low bit rate`,
  'cc-errors': msg`Continuity faults`,
  'srt-loss': msg`SRT packet loss`,
  'output-failed': msg`Output failed`,
  'engine-down': msg`Media engine down`,
};

/** A kind of a later hub stands for itself. */
export function alarmKindText(i18n: I18n, kind: string): string {
  const text = Object.hasOwn(kinds, kind) ? kinds[kind as AlarmKind] : undefined;
  return text === undefined ? kind : i18n._(text);
}
