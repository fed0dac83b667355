/** An operating system in memory, for whole hubs in tests. Each area has its own double. */
import type { Appliance } from './appliance.ts';
import { createFirewallDouble } from './firewall/double-for-test.ts';
import { createLightDouble } from './light/double-for-test.ts';
import { createNetDouble } from './net/double-for-test.ts';
import { createPowerDouble } from './power/double-for-test.ts';
import { createRoutesDouble } from './routes/double-for-test.ts';
import { createTimeDouble } from './time/double-for-test.ts';
import { createUsbDouble } from './usb/double-for-test.ts';
import { createWifiDouble } from './wifi/double-for-test.ts';

export interface ApplianceDouble extends Appliance {
  /** What tests do to the areas. */
  readonly double: ReturnType<typeof createDoubles>;
}

const createDoubles = () => {
  const routes = createRoutesDouble();
  return {
    firewall: createFirewallDouble(),
    light: createLightDouble(),
    net: createNetDouble(routes),
    power: createPowerDouble(),
    routes,
    time: createTimeDouble(),
    usb: createUsbDouble(),
    wifi: createWifiDouble(),
  };
};

export function createApplianceDouble(): ApplianceDouble {
  const double = createDoubles();
  const { firewall, light, net, power, routes, time, usb, wifi } = double;
  return {
    ...{
      double,
      firewall: firewall.port,
      light: light.port,
      net: net.port,
      power: power.port,
      routes: routes.port,
      time: time.port,
      usb: usb.port,
      wifi: wifi.port,
    },
    close() {},
  };
}
