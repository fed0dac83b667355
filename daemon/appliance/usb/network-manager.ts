/** Interfaces on USB by NetworkManager: one profile is for all of them, as they come and go. */
import { timing } from '../../timing.ts';
import type { Bus } from '../dbus/bus.ts';
import { type ValueOf, variant } from '../dbus/wire.ts';
import {
  addressesOf,
  deviceStates,
  deviceTypes,
  type Properties,
  profileBy,
  propertiesOf,
  readObjects,
  service,
  settingsPath,
  updateFlags,
  withInterface,
} from '../nm-objects.ts';
import type { UsbDevice, UsbPort } from './port.ts';

/** Of the hub's profile. */
const uuid = '5161b0c5-6e65-5477-8b72-6b0000000010';
/** Names that the kernel gives such interfaces; others have USB in their place in the machine. */
const names = ['usb*', 'enx*'];
/** Above those of Ethernet ports and Wi-Fi, which are preferred. */
const routeMetric = 700;
/** `NM_CONNECTION_MULTI_CONNECT_MULTIPLE` */
const manyDevices = 3;

export function createUsb(bus: Bus): UsbPort {
  return {
    async read() {
      const objects = await readObjects(bus);
      return withInterface(objects, 'Device')
        .filter(([, device]) => isUsb(device))
        .map(([path, device]): UsbDevice => {
          const carrier = propertiesOf(objects, path, 'Device.Wired').Carrier;
          return {
            ...{ name: String(device.Interface), driver: String(device.Driver ?? '') },
            state: stateOf(device, carrier !== false),
            addresses: addressesOf(objects, device.Ip4Config),
          };
        })
        .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    async prepare() {
      if ((await profileBy(bus, uuid)) !== undefined) return;
      await bus.call({
        ...{ destination: service, path: settingsPath, interface: `${service}.Settings` },
        ...{ member: 'AddConnection2', signature: 'a{sa{sv}}ua{sv}', body: [profile(), updateFlags.toDisk, {}] },
      });
    },
  };
}

/** Ports of the hub on USB adapters are shown as ports. */
export function isUsb({ DeviceType, Interface, Udi, Path }: Properties): boolean {
  if (DeviceType !== deviceTypes.ethernet && DeviceType !== deviceTypes.veth) return false;
  return /^(usb\d+|enx[0-9a-f]{12})$/.test(String(Interface)) || /\/usb\d|-usb-/.test(`${Udi} ${Path}`);
}

function stateOf({ State, Managed }: Properties, hasLink: boolean): UsbDevice['state'] {
  const state = Number(State ?? 0);
  if (Managed !== true || state <= deviceStates.unmanaged) return 'unmanaged';
  if (state === deviceStates.activated) return 'connected';
  if (state === deviceStates.failed) return 'failed';
  if (!hasLink) return 'noCable';
  return state >= deviceStates.prepare && state < deviceStates.activated ? 'connecting' : 'disconnected';
}

function profile(): ValueOf<'a{sa{sv}}'> {
  return {
    connection: {
      ...{ id: variant('s', 'USB network'), uuid: variant('s', uuid), type: variant('s', '802-3-ethernet') },
      'multi-connect': variant('i', manyDevices),
      'autoconnect-retries': variant('i', 0),
      // Any other profile for the interface, such as that of an Ethernet port, comes first.
      'autoconnect-priority': variant('i', -10),
    },
    match: { 'interface-name': variant('as', names) },
    ipv4: {
      ...{ method: variant('s', 'auto'), 'may-fail': variant('b', false) },
      'dhcp-timeout': variant('i', Math.ceil(timing.wifi.dhcpMs / 1000)),
      'route-metric': variant('x', routeMetric),
    },
    ipv6: {
      method: variant('s', 'auto'),

      'route-metric': variant('x', routeMetric),
    },
  };
}
