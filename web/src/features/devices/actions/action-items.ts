/** The actions of a device as items of its menu. */
import { useLingui } from '@lingui/react/macro';
import { blockedBy, canEver, type DeviceAction } from '../../../../../daemon/contract/device-actions.ts';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { useMay } from '../../../api/session.ts';
import { actionReasonTexts } from '../../../i18n/device-action-text.ts';
import { actionLooks } from '../../../shared/devices/action-look.ts';
import { actOnDevice } from '../../../shared/devices/device-acts.ts';
import type { DialogAddress } from '../../../ui/overlay/dialog-address.ts';
import { needsQuestion } from './impact.ts';
import { switches } from './switches.ts';

/** Of two that start and stop the same, the one that is of use; both if the device does not state what it does. */
function offered(device: Device): DeviceAction[] {
  const pairs = switches.flatMap(({ start, stop, fact }) => {
    const isOn = device.status[fact];
    return isOn === undefined ? [start, stop] : [isOn ? stop : start];
  });
  return ['rename' as const, ...pairs, 'reboot' as const].filter((action) => canEver(device, action));
}

/** `isShort`: without those that the page of a device has buttons for. */
export function useActionItems(device: Device, open: DialogAddress['open'], isShort = false) {
  const { i18n } = useLingui();
  const mayControl = useMay('deviceControl');
  const isInMenu = (action: DeviceAction) => !isShort || action === 'rename' || action === 'reboot';
  return () =>
    (mayControl ? offered(device) : []).filter(isInMenu).map((action) => {
      const { verb, icon } = actionLooks[action];
      const reason = blockedBy(device, action);
      return {
        ...{ key: action, text: i18n._(verb), icon },
        disabledReason: reason === undefined ? undefined : i18n._(actionReasonTexts[reason]),
        onSelect: () => (needsQuestion(action, device) ? open(action, device.id) : actOnDevice(device, action)),
      };
    });
}
