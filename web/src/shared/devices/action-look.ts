/** What actions on devices are called. */
import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import {
  IconBroadcast,
  IconCursorText,
  IconPlayerRecord,
  IconPlayerStop,
  IconPower,
  type IconProps,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { DeviceAction } from '../../../../daemon/contract/device-actions.ts';

interface ActionLook {
  /** On its button. */
  readonly verb: MessageDescriptor;
  /** While the device does it. */
  readonly running: MessageDescriptor;
  readonly icon: ComponentType<IconProps>;
  /** It ends what others may be watching, or stores. */
  readonly isDangerous?: true;
}

export const actionLooks: Readonly<Record<DeviceAction, ActionLook>> = {
  rename: { verb: msg`Rename`, running: msg`Renaming…`, icon: IconCursorText },
  reboot: { verb: msg`Restart`, running: msg`Restarting…`, icon: IconPower, isDangerous: true },
  'record-start': { verb: msg`Start recording`, running: msg`Starting…`, icon: IconPlayerRecord },
  'record-stop': { verb: msg`Stop recording`, running: msg`Stopping…`, icon: IconPlayerStop },
  'live-start': { verb: msg`Start live stream`, running: msg`Starting…`, icon: IconBroadcast },
  'live-stop': { verb: msg`Stop live stream`, running: msg`Stopping…`, icon: IconPlayerStop, isDangerous: true },
  'quick-start': { verb: msg`Start quick stream`, running: msg`Starting…`, icon: IconBroadcast },
  'quick-stop': { verb: msg`Stop quick stream`, running: msg`Stopping…`, icon: IconPlayerStop, isDangerous: true },
};
