/** NetworkManager does what the hub relies on. */
import { createBus } from '../../daemon/appliance/dbus/bus.ts';
import { describeNet } from '../../daemon/appliance/net/contract-for-test.ts';
import { createNetworkManager } from '../../daemon/appliance/net/network-manager.ts';
import { inLab, networks } from './lab.ts';

inLab('NetworkManager, in a world of its own, does what every network does', import.meta.path, (lab) => {
  describeNet(async () => {
    await lab.start();
    const bus = createBus('/run/dbus/system_bus_socket');
    const { lan, wan } = networks;
    lab.addAddress('lan', `${lan.net}.9/24`);
    return {
      port: createNetworkManager(bus),
      hardware: { eth1: `mac:${lan.mac}`, eth2: `mac:${wan.mac}` },
      ...{ free: [`${lan.net}.10`, `${lan.net}.66`], taken: `${lan.net}.9`, other: `${wan.net}.10` },
      setCable: (port, isIn) => lab.setCable(port === 'eth1' ? 'lan' : 'wan', isIn),
      setDhcp: (answers) => (answers ? lab.startDhcp('lan') : lab.stopDhcp('lan')),
      stop: () => lab.stopManager('SIGKILL'),
      start: () => lab.startManager(),
      async close() {
        bus.close();
        await lab.stop();
      },
    };
  });
});
