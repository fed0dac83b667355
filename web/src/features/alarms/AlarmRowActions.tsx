import { useLingui } from '@lingui/react/macro';
import { ActionIcon } from '@mantine/core';
import { IconBell, IconBellOff, IconCheck, IconDotsVertical } from '@tabler/icons-react';
import { isCommon } from '../../../../daemon/contract/alarm-severity.ts';
import type { Alarm } from '../../../../daemon/contract/alarms.ts';
import { alarmKindText, alarmPlaceText } from '../../i18n/alarm-text.ts';
import { faultText } from '../../i18n/result-text.ts';
import { acknowledgeAlarms, muteAlarms, unmuteAlarms } from '../../shared/alarms/alarm-calls.ts';
import { isMuted } from '../../shared/alarms/alarm-state.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import { DropMenu } from '../../ui/overlay/DropMenu.tsx';
import styles from './AlarmListPage.module.css';

export function AlarmRowActions({ alarm }: { alarm: Alarm }) {
  const { t, i18n } = useLingui();
  const { id, channel, device } = alarm;
  const place = alarmPlaceText(i18n, alarm);
  const what = `${place} ${alarmKindText(i18n, alarm.kind)}`;
  /** Everything of the channel, the device or the hub; several devices are muted one by one. */
  const all = device === undefined ? { channel } : { device };
  const act = (call: Promise<unknown>) =>
    void call.catch((error: unknown) => showToast('error', faultText(i18n, error)));
  const label = t`Acknowledge ${what}`;
  const mute = (key: string, text: string, body: Parameters<typeof muteAlarms>[0]) => ({
    ...{ key, text, icon: IconBellOff },
    onSelect: () => act(muteAlarms(body)),
  });
  return (
    <span className={styles.actions}>
      {alarm.acknowledged === undefined && (
        <ActionIcon size={30} aria-label={label} title={label} onClick={() => act(acknowledgeAlarms({ id }))}>
          <IconCheck size={16} aria-hidden />
        </ActionIcon>
      )}
      <DropMenu
        label={t`More actions for ${what}`}
        trigger={<IconDotsVertical size={16} stroke={1.7} aria-hidden />}
        items={() =>
          [
            ...(isMuted(alarm, Date.now())
              ? [
                  { key: 'unmute', text: t`Unmute`, icon: IconBell, onSelect: () => act(unmuteAlarms({ id })) },
                  !isCommon(alarm) && {
                    ...{ key: 'unmute-all', text: t`Unmute all alarms of “${place}”`, icon: IconBell },
                    onSelect: () => act(unmuteAlarms(all)),
                  },
                ]
              : []),
            mute('short', t`Mute for 15 min`, { id, minutes: 15 }),
            mute('hour', t`Mute for 1 h`, { id, minutes: 60 }),
            mute('cleared', t`Mute until cleared`, { id }),
            ...(isCommon(alarm)
              ? []
              : [
                  mute('all-short', t`Mute all alarms of “${place}” for 15 min`, { ...all, minutes: 15 }),
                  mute('all-hour', t`Mute all alarms of “${place}” for 1 h`, { ...all, minutes: 60 }),
                  mute('all-cleared', t`Mute all alarms of “${place}” until cleared`, all),
                ]),
          ].filter((item) => item !== false)
        }
      />
    </span>
  );
}
