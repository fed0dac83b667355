import { capabilitiesOf, familyOf } from '../../../../../daemon/contract/device-catalog.ts';
import { regStates } from '../../../../../daemon/contract/device-states.ts';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { upgradableApis } from '../../../../../daemon/contract/upgrade-states.ts';

/** Whether the hub can send firmware to such a device at all. */
export function canUpgrade(device: Device): boolean {
  const { module, 'product-id': productId, 'module-name': model, api } = device;
  if (device['reg-state'] !== regStates.accepted || !upgradableApis.has(api)) return false;
  return capabilitiesOf({ family: familyOf(module), productId, model, api }).upgrade;
}
