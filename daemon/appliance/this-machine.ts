/** The operating system of this machine. Code is loaded with the first use of an area: most hubs need none of it. */
import type { Appliance } from './appliance.ts';
import type { Bus } from './dbus/bus.ts';
import type { HelperClient } from './helper/client.ts';
import { lazyPort } from './lazy-port.ts';
import { lazyNet } from './net/lazy.ts';

const changeSteps = ['prepare', 'apply', 'seal', 'save', 'revert'] as const;

/** Does not touch the system before an area is used. */
export function thisMachine({ helperSocket }: { readonly helperSocket: string }): Appliance {
  let bus: Promise<Bus> | undefined;
  /** One connection for all areas. */
  const systemBus = (): Promise<Bus> => {
    bus ??= import('./dbus/bus.ts').then(({ createBus }) => createBus());
    return bus;
  };
  let client: Promise<HelperClient> | undefined;
  /** One client for all areas: it asks for one thing after another. */
  const helper = (): Promise<HelperClient> => {
    client ??= import('./helper/client.ts').then(({ createHelperClient }) => createHelperClient(helperSocket));
    return client;
  };
  const nftables = async () => (await import('./firewall/nftables.ts')).createNftables(await helper());
  const networkManager = async (): Promise<Bus> => {
    const [{ forNetworkManager }, opened] = await Promise.all([import('./nm-bus.ts'), systemBus()]);
    return forNetworkManager(opened);
  };
  return {
    firewall: {
      apply: async (...setup) => (await nftables()).apply(...setup),
      read: async () => (await nftables()).read(),
    },
    light: {
      async blink(name, seconds, by) {
        // Other requests do not wait for this one.
        const { createHelperClient } = await import('./helper/client.ts');
        const answer = await createHelperClient(helperSocket).call('port.blink', { interface: name, seconds }, by);
        return answer.isSupported;
      },
    },
    power: {
      reboot: async (by) => void (await (await helper()).call('system.reboot', {}, by)),
      async reset(area) {
        const [{ byHub }, client] = await Promise.all([import('./helper/operations.ts'), helper()]);
        await client.call('system.reset', { area }, byHub);
      },
    },
    routes: lazyPort(
      async () => (await import('./routes/network-manager.ts')).createRoutes(await networkManager()),
      ['read', 'write', ...changeSteps],
    ),
    usb: lazyPort(
      async () => (await import('./usb/network-manager.ts')).createUsb(await networkManager()),
      ['read', 'prepare'],
    ),
    wifi: lazyPort(
      async () => (await import('./wifi/network-manager.ts')).createWifi(await networkManager()),
      ['read', 'scan', 'join', 'rejoin', 'forget', 'forgetAll', 'keyOf', 'store', 'leadsTo', ...changeSteps],
    ),
    net: lazyNet(async () => {
      const [{ createNetworkManager }, opened] = await Promise.all([import('./net/network-manager.ts'), systemBus()]);
      return createNetworkManager(opened);
    }),
    time: lazyPort(
      async () => (await import('./time/system-time.ts')).createSystemTime(await helper()),
      ['ntp', 'synchronization', 'zone', 'zones', 'apply', 'set', 'hostName', 'setHostName'],
    ),
    close() {
      void bus?.then((opened) => opened.close());
    },
  };
}
