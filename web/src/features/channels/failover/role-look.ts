/** Labels for the active input of a channel and for the reason of the last switch. */
import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { IconProps } from '@tabler/icons-react';
import { IconPhotoOff, IconShieldHalf } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { InputRole, SwitchReason } from '../../../../../daemon/contract/failover.ts';

interface RoleLook {
  readonly icon: ComponentType<IconProps>;
  readonly text: MessageDescriptor;
}

/** The main input has no badge. */
export const roleLooks: Readonly<Record<InputRole, RoleLook | undefined>> = {
  main: undefined,
  backup: { icon: IconShieldHalf, text: msg`Backup` },
  slate: { icon: IconPhotoOff, text: msg`Slate` },
};

export const switchReasons: Readonly<Record<SwitchReason, MessageDescriptor>> = {
  none: msg`only this input was available at the start`,
  noData: msg`the other input brought no data`,
  noVideo: msg`the other input had no picture`,
  noAudio: msg`the other input had no sound`,
  ended: msg`the other input disconnected`,
  operator: msg`an operator chose it`,
  stable: msg`this input is good again`,
};
