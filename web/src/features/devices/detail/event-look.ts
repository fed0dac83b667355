/** What happened to a device, in words: color, icon and text of the event, and its reason. */
import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import type { DeviceEventWord } from '../../../../../daemon/contract/device-states.ts';
import type { DeviceEvent } from '../../../../../daemon/contract/devices.ts';
import { problemTexts } from '../../../i18n/device-problem-text.ts';
import { deviceLooks, warningTexts } from '../../../shared/devices/device-look.ts';
import { upgradeFaultTexts } from '../../../shared/firmware/upgrade/upgrade-look.ts';
import type { Look } from '../../../ui/data/StateMark.tsx';

const looks: Record<DeviceEventWord, Look> = {
  applied: { ...deviceLooks.pending, text: msg`Registered on the hub` },
  online: deviceLooks.online,
  offline: deviceLooks.offline,
  problem: { ...deviceLooks.warning, text: msg`Problem` },
  warning: deviceLooks.warning,
  warningOver: { tone: 'live', icon: IconCircleCheck, text: msg`Warning is over` },
  upgraded: { tone: 'live', icon: IconCircleCheck, text: msg`New firmware` },
  upgradeFailed: { ...deviceLooks.warning, text: msg`Firmware upgrade failed` },
  other: { tone: 'off', icon: IconInfoCircle, text: msg`Message` },
};

const reasons: Readonly<Record<string, MessageDescriptor>> = { ...problemTexts, ...warningTexts };

const upgradeReasons: Readonly<Record<string, MessageDescriptor>> = upgradeFaultTexts;

export function eventLook({ event, level }: Pick<DeviceEvent, 'event' | 'level'>): Look {
  const isGrave = event === 'other' && (level === 'warn' || level === 'error');
  return isGrave ? { ...looks.other, tone: 'warn', icon: looks.warning.icon } : looks[event];
}

/** A message of the hub, which is in English, or a text to translate; undefined if the event says everything. */
export function eventReason({ event, word, text }: DeviceEvent): string | MessageDescriptor | undefined {
  if (event === 'other') return text;
  if (event === 'upgraded') return word;
  return (event === 'upgradeFailed' ? upgradeReasons : reasons)[word ?? ''];
}
