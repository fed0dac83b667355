/** Text for alarms: kind, reason and figures. */
import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { isCommon } from '../../../daemon/contract/alarm-severity.ts';
import type { Alarm, AlarmKind } from '../../../daemon/contract/alarms.ts';
import { amountText, type Format } from '../lib/format.ts';
import { problemTexts } from './device-problem-text.ts';

const kinds: Record<AlarmKind, MessageDescriptor> = {
  'no-input': msg`No input`,
  'no-video': msg`No video`,
  'no-audio': msg`No audio`,
  'bitrate-below': msg`Low bitrate`,
  'cc-errors': msg`CC errors`,
  'srt-loss': msg`SRT packet loss`,
  'on-backup': msg`Backup on air`,
  'on-slate': msg`Slate on air`,
  'output-failed': msg`Output failed`,
  'engine-down': msg`Media engine down`,
  'engine-replaced': msg`Media engine replaced`,
  'few-descriptors': msg`File descriptors nearly exhausted`,
  'no-space': msg`Data folder nearly full`,
  'device-offline': msg`Device offline`,
  'device-problem': msg`Device problem`,
  'device-no-signal': msg`Device without a signal`,
  'device-hot': msg`Device too hot`,
  'device-storage': msg`Device storage`,
  'device-network': msg`Device network port down`,
};

const reasons: Readonly<Record<string, MessageDescriptor>> = {
  ...problemTexts,
  hung: msg`It did not respond and was killed.`,
  ended: msg`Its process ended unexpectedly.`,
};

/** Kinds of a newer hub are returned unchanged. */
export function alarmKindText(i18n: I18n, kind: string): string {
  const text = Object.hasOwn(kinds, kind) ? kinds[kind as AlarmKind] : undefined;
  return text === undefined ? kind : i18n._(text);
}

/** Empty if the kind alone is sufficient. */
export function alarmReasonText(i18n: I18n, reason = ''): string {
  const text = Object.hasOwn(reasons, reason) ? reasons[reason] : undefined;
  return text === undefined ? reason : i18n._(text);
}

/** The channel or device that the alarm is about, several devices, or the hub. */
export function alarmPlaceText(i18n: I18n, alarm: Pick<Alarm, 'kind' | 'device' | 'name'>): string {
  if (isCommon(alarm)) return i18n._(msg`Several devices`);
  return alarm.name === '' ? i18n._(msg`Hub`) : alarm.name;
}

/** A threshold or the worst observed value, with its unit. */
export function alarmFigureText(
  i18n: I18n,
  format: Pick<Format, 'number' | 'rate' | 'measure'>,
  kind: string,
  value: number,
): string {
  if (kind === 'bitrate-below') return amountText(format.rate(value));
  if (kind === 'srt-loss') return amountText(format.measure('loss-percent', value));
  const number = format.number(value);
  if (kind === 'device-hot') return `${number} °C`;
  if (kind === 'no-space') return `${number} MB`;
  return kind === 'cc-errors' ? i18n._(msg`${number} per minute`) : i18n._(msg`${number} s`);
}
