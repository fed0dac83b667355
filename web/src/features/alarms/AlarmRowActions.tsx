import { useLingui } from '@lingui/react/macro';
import { ActionIcon } from '@mantine/core';
import { IconBell, IconBellOff, IconCheck, IconDotsVertical } from '@tabler/icons-react';
import type { Alarm } from '../../../../daemon/contract/alarms.ts';
import { alarmKindText } from '../../i18n/alarm-text.ts';
import { faultText } from '../../i18n/result-text.ts';
import { acknowledgeAlarms, muteAlarms, unmuteAlarms } from '../../shared/alarms/alarm-calls.ts';
import { isMuted } from '../../shared/alarms/alarm-state.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import { DropMenu } from '../../ui/overlay/DropMenu.tsx';
import styles from './AlarmListPage.module.css';

export function AlarmRowActions({ alarm }: { alarm: Alarm }) {
  const { t, i18n } = useLingui();
  const { id, channel, name } = alarm;
  const what = `${name} ${alarmKindText(i18n, alarm.kind)}`.trim();
  const act = (call: Promise<unknown>) =>
    void call.catch((error: unknown) => showToast('error', faultText(i18n, error)));
  const label = t`Acknowledge ${what}`;
  const place = channel === 0 ? t`Hub` : name;
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
        items={() => [
          ...(isMuted(alarm, Date.now())
            ? [
                { key: 'unmute', text: t`Unmute`, icon: IconBell, onSelect: () => act(unmuteAlarms({ id })) },
                {
                  ...{ key: 'unmute-all', text: t`Unmute all alarms of “${place}”`, icon: IconBell },
                  onSelect: () => act(unmuteAlarms({ channel })),
                },
              ]
            : []),
          mute('short', t`Mute for 15 min`, { id, minutes: 15 }),
          mute('hour', t`Mute for 1 h`, { id, minutes: 60 }),
          mute('cleared', t`Mute until cleared`, { id }),
          mute('channel-short', t`Mute all alarms of “${place}” for 15 min`, { channel, minutes: 15 }),
          mute('channel-hour', t`Mute all alarms of “${place}” for 1 h`, { channel, minutes: 60 }),
          mute('channel-cleared', t`Mute all alarms of “${place}” until cleared`, { channel }),
        ]}
      />
    </span>
  );
}
