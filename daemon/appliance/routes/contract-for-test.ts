/** What every RoutesPort does. Runs on the double, and on NetworkManager in a network of its own (`tests/netns/`). */
import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { untilSeen } from '../../../tests/support/until.ts';
import type { PortDevices, RoutesPort, StaticRoute } from './port.ts';

export interface RouteWorld {
  readonly port: RoutesPort;
  readonly devices: PortDevices;
  /** A router in the network of ETH1, and one in that of ETH2. */
  readonly gateways: { readonly eth1: string; readonly eth2: string };
  /** The same as after a restart of the machine: what is not stored is lost. */
  readonly restart: () => Promise<void>;
}

export function describeRoutes(name: string, create: () => Promise<RouteWorld>): void {
  describe(name, () => {
    let world: RouteWorld;
    beforeAll(async () => {
      world = await create();
    });
    beforeEach(async () => {
      await world.port.write({ devices: world.devices, routes: [] });
    });
    /** The routes, once all of them are in use. */
    const shown = async (): Promise<StaticRoute[]> => {
      const { routes } = await untilSeen(
        () => world.port.read(world.devices),
        (state) => state.interfaces.length >= 2 && state.routes.every(({ isActive }) => isActive),
      );
      const sorted = routes.toSorted((a, b) => (a.destination < b.destination ? -1 : 1));
      return sorted.map(({ isActive: _, ...route }) => route);
    };
    const office = (): StaticRoute => {
      return { destination: '10.20.0.0/16', gateway: world.gateways.eth1, interface: 'eth1' };
    };
    const studio = (): StaticRoute => {
      return { destination: '172.20.5.7/32', gateway: world.gateways.eth2, interface: 'eth2' };
    };

    test('both ports are shown with their addresses', async () => {
      const { interfaces, routes } = await world.port.read(world.devices);
      expect(routes).toEqual([]);
      expect(interfaces.map(({ id }) => id).slice(0, 2)).toEqual(['eth1', 'eth2']);
      for (const { addresses } of interfaces) expect(addresses[0]).toMatch(/^[\d.]+\/\d+$/);
    });

    test('written routes are used at once, replace those before, and last', async () => {
      await world.port.write({ devices: world.devices, routes: [office()] });
      expect(await shown()).toEqual([office()]);
      await world.port.write({ devices: world.devices, routes: [office(), studio()] });
      expect(await shown()).toEqual([office(), studio()]);
      await world.restart();
      expect(await shown()).toEqual([office(), studio()]);
      await world.port.write({ devices: world.devices, routes: [studio()] });
      expect(await shown()).toEqual([studio()]);
    });

    test('a change on trial is used, and is undone when it is reverted', async () => {
      await world.port.write({ devices: world.devices, routes: [office()] });
      const data = await world.port.prepare({ devices: world.devices, routes: [studio()] }, 60);
      await world.port.apply(data);
      expect(await shown()).toEqual([studio()]);
      await world.port.revert(JSON.parse(JSON.stringify(data)));
      expect(await shown()).toEqual([office()]);
      await world.port.revert(data);
      expect(await shown()).toEqual([office()]);
    });

    test('a change on trial that is confirmed lasts; one that is not is gone after a restart', async () => {
      const trial = await world.port.prepare({ devices: world.devices, routes: [studio()] }, 60);
      await world.port.apply(trial);
      await world.restart();
      expect(await shown()).toEqual([]);
      const data = await world.port.prepare({ devices: world.devices, routes: [office()] }, 60);
      await world.port.apply(data);
      expect(await world.port.seal(data)).toBe(true);
      await world.port.save(data);
      await world.restart();
      expect(await shown()).toEqual([office()]);
      expect(await world.port.seal(data)).toBe(false);
    });
  });
}
