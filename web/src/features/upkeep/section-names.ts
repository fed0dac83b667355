import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';

/** By their names in the file; a test compares them with those of the hub. */
export const sectionNames: Readonly<Record<string, MessageDescriptor>> = {
  settings: msg`General settings`,
  'user-groups': msg`User groups`,
  users: msg`Users`,
  'all-devices': msg`Settings for all devices`,
  'device-groups': msg`Device groups`,
  devices: msg`Devices`,
  inputs: msg`Inputs`,
  outputs: msg`Outputs`,
  presets: msg`Presets`,
  servers: msg`Destinations`,
  channels: msg`Channels`,
  schedules: msg`Schedules`,
  alarms: msg`Alarms`,
  time: msg`Time and host name`,
  firewall: msg`Firewall`,
  wifi: msg`Wi-Fi networks`,
  network: msg`Ethernet ports`,
  web: msg`Ports and certificate of the console`,
  routes: msg`Network routes`,
};

export function sectionName(name: string): MessageDescriptor {
  return sectionNames[name] ?? { id: name, message: name };
}
