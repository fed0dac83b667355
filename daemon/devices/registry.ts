/** The drivers of all APIs. Each is loaded when the first device needs it: most hubs have devices of one or two makes. */
import type { DeviceApi } from '../contract/device-catalog.ts';
import type { DeviceIdentity } from '../contract/device-facts.ts';
import type { Credentials, DescribedDevice, DeviceSession, Driver, Transport } from './driver.ts';
import { DeviceProblem } from './problem.ts';

/** In the order in which a device at an unknown address is asked. */
export type DriverLoaders = Readonly<Partial<Record<DeviceApi, () => Promise<Driver>>>>;

export const shippedDrivers: DriverLoaders = {
  usapi: async () => (await import('./usapi/driver.ts')).createUsapiDriver(),
  mwapi: async () => (await import('./mwapi/driver.ts')).createMwapiDriver(),
  apiPath: async () => (await import('./api-path/driver.ts')).createApiPathDriver(),
  mwapiPath: async () => (await import('./mwapi-path/driver.ts')).createMwapiPathDriver(),
  v1: async () => (await import('./v1/driver.ts')).createV1Driver(),
  onvif: async () => (await import('./onvif/driver.ts')).createOnvifDriver(),
  stream: async () => (await import('./stream/driver.ts')).createStreamDriver(),
};

export interface DriverRegistry {
  /** Rejects with `unsupported` if there is no driver for this API. */
  driver(api: DeviceApi): Promise<Driver>;
  /** Returns the API of the device, which is asked without a login. Rejects with `notADevice` if no driver knows it. */
  recognize(transport: Transport, signal: AbortSignal): Promise<DeviceApi>;
  /**
   * Signs in and returns what the device is. Most devices do not state their serial number without a login. Rejects with
   * a `DeviceProblem`.
   */
  identify(transport: Transport, credentials: Credentials, signal: AbortSignal): Promise<DeviceIdentity>;
  /** Finds out whether a device of this API is there. Rejects with a `DeviceProblem` if it is not. */
  identifyDescribed(
    api: DeviceApi,
    transport: Transport,
    device: DescribedDevice,
    signal: AbortSignal,
  ): Promise<DeviceIdentity>;
}

export function createDriverRegistry(loaders: DriverLoaders): DriverRegistry {
  const loaded = new Map<DeviceApi, Promise<Driver>>();

  function driver(api: DeviceApi): Promise<Driver> {
    const load = loaders[api];
    if (load === undefined) return Promise.reject(new DeviceProblem('unsupported', `no driver for the API ${api}`));
    const known = loaded.get(api) ?? load();
    loaded.set(api, known);
    return known;
  }

  async function recognize(transport: Transport, signal: AbortSignal): Promise<DeviceApi> {
    for (const api of Object.keys(loaders) as DeviceApi[]) {
      const candidate = await driver(api);
      const isKnown = await candidate.recognizes(transport, signal).catch((error: unknown) => {
        if (error instanceof DeviceProblem && error.word === 'invalidAnswer') return false;
        throw error;
      });
      if (isKnown) return api;
    }
    throw new DeviceProblem('notADevice', 'no driver knows the API of this address');
  }

  async function identityOf(session: DeviceSession, signal: AbortSignal): Promise<DeviceIdentity> {
    try {
      return await session.identify(signal);
    } finally {
      await session.close();
    }
  }

  return {
    driver,
    recognize,
    async identify(transport, credentials, signal) {
      const api = await recognize(transport, signal);
      return await identityOf((await driver(api)).open(transport, credentials), signal);
    },
    async identifyDescribed(api, transport, device, signal) {
      return await identityOf((await driver(api)).open(transport, { user: '', password: '' }, device), signal);
    },
  };
}
