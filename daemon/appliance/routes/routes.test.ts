import { expect, test } from 'bun:test';
import { describeRoutes } from './contract-for-test.ts';
import { createRoutesDouble } from './double-for-test.ts';

describeRoutes('routes in memory', async () => {
  const double = createRoutesDouble();
  return {
    port: double.port,
    devices: { eth1: 'eth0', eth2: 'eth1' },
    gateways: { eth1: '192.168.50.1', eth2: '10.77.0.1' },
    restart: async () => double.restart(),
  };
});

test('an interface without a connection keeps its routes, but does not use them', async () => {
  const { port, connect } = createRoutesDouble();
  const route = { destination: '10.20.0.0/16', gateway: '192.168.50.1', interface: 'eth1' } as const;
  await port.write({ devices: {}, routes: [route] });
  connect({ eth2: '10.77.0.20/24' });
  expect((await port.read({})).routes).toEqual([{ ...route, isActive: false }]);
});
