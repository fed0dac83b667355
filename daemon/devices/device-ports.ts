/** How the hub reaches its devices: the fleet, drivers and transports, loaded when the first device needs them. */
import { timing } from '../timing.ts';
import type { DevicePorts, DevicePortsOptions } from './ports.ts';
import { DeviceProblem } from './problem.ts';

const clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  after(ms: number, then: () => void) {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};

export function createDevicePorts({ log }: DevicePortsOptions): DevicePorts {
  const noDriver = () => new DeviceProblem('unsupported', 'this version has no driver for it');
  return {
    async loadFleet() {
      const { createFleet } = await import('./fleet.ts');
      return createFleet({ driver: () => Promise.reject(noDriver()), clock, times: timing.fleet, log });
    },
    transportTo: () => ({ request: () => Promise.reject(noDriver()) }),
    identify: () => Promise.reject(noDriver()),
  };
}
