import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { isPulled } from '../../../../daemon/contract/device-catalog.ts';
import type { Device } from '../../../../daemon/contract/devices.ts';
import { directions } from '../../../../daemon/contract/streams.ts';

/** Why the hub cannot make a device the input of a channel, or let it play one; undefined if it can. */
export function unconnectable(
  device: Pick<Device, 'api' | 'connect-dir' | 'link'>,
  way: 'input' | 'output',
): MessageDescriptor | undefined {
  if ((device['connect-dir'] & directions[way]) !== 0) return undefined;
  if (way === 'output') return msg`The hub cannot set it up; choose the channel on the device.`;
  return device.link === 'agent' && isPulled(device.api)
    ? msg`Its agent does not forward its stream. Add the device at an address that the hub can reach.`
    : msg`The hub cannot set it up; enter the address of the channel on the device.`;
}
