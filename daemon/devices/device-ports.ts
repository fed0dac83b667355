/** How the hub reaches its devices. The code of fleet, drivers and transports is loaded when the first device needs it. */
import type { DeviceApi } from '../contract/device-catalog.ts';
import { readDeviceAddress, v1Port } from '../contract/device-fields.ts';
import { createOutgoing, type Outgoing, systemLookup } from '../lib/outgoing.ts';
import { createSemaphore } from '../lib/semaphore.ts';
import { timing } from '../timing.ts';
import { openDirectStream } from './direct-stream.ts';
import type { Credentials, DescribedDevice, Transport } from './driver.ts';
import type { FleetTimes } from './fleet.ts';
import type { DevicePorts, DevicePortsOptions, DeviceWay, Identified } from './ports.ts';
import { DeviceProblem } from './problem.ts';
import type { DriverRegistry } from './registry.ts';

const clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  random: () => Math.random(),
  after(ms: number, then: () => void) {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};

/** The engine looks at somewhat more streams at a time. A line as long is through within the time limit of a poll. */
const looksAtOnce = 12;
const looksInLine = 60;

const usualPorts = { http: 80, https: 443 } as const;
type Scheme = keyof typeof usualPorts;

/** `times`: tests do not wait as long. */
export function createDevicePorts(
  { outgoing: rules, agentSocket, agentPort, streams, log }: DevicePortsOptions,
  times: FleetTimes = timing.fleet,
): DevicePorts {
  const outgoing = createOutgoing({ rules, lookup: systemLookup, ...timing.outgoing });
  let registry: Promise<DriverRegistry> | undefined;
  const drivers = () => {
    registry ??= import('./registry.ts').then(({ createDriverRegistry, shippedDrivers }) =>
      createDriverRegistry(shippedDrivers),
    );
    return registry;
  };

  const looks = createSemaphore({ atOnce: looksAtOnce, longestLine: looksInLine });
  const within = async <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const signal = AbortSignal.timeout(times.pollLimitMs);
    try {
      return await work(signal);
    } catch (error) {
      if (error instanceof DeviceProblem || !signal.aborted) throw error;
      throw new DeviceProblem('timeout', `the device did not answer within ${times.pollLimitMs / 1000} s`);
    }
  };

  const identifyAt = async (
    address: string,
    credentials: Credentials,
    pin: string | undefined,
  ): Promise<Identified> => {
    const transport = transportTo({ sn: '', link: 'direct', address, pin: pin ?? '' }, outgoing);
    const identity = await within(async (signal) => (await drivers()).identify(transport, credentials, signal));
    return { identity, api: identity.api, address, ...(pin !== undefined && { pin }) };
  };

  const identifyDescribed = async (
    api: DeviceApi,
    device: DescribedDevice,
    way: Pick<DeviceWay, 'address' | 'pin'>,
  ): Promise<Identified> => {
    const transport = transportTo({ sn: device.sn, link: 'direct', ...way }, outgoing);
    const identity = await within(async (signal) =>
      (await drivers()).identifyDescribed(api, transport, device, signal),
    );
    return { identity, api };
  };

  const openPort: DevicePorts['openPort'] = (way, port, use) => {
    if (way.link === 'agent') return agentPort(way.sn, port, use);
    const { scheme = 'http', host, port: own = usualPorts[scheme] } = partsOf(way.address);
    const asked = port === usualPorts[scheme] ? own : port;
    // What a device is allowed to be must not open the other services of this machine.
    const to = { host, port: asked, mayBeOwn: asked === own };
    return openDirectStream(to, { outgoing, connectMs: timing.link.portConnectMs });
  };

  return {
    async loadFleet() {
      const [{ createFleet }, { driver }] = await Promise.all([import('./fleet.ts'), drivers()]);
      return createFleet({ driver, clock, times, log });
    },
    streamOf: (stream, inputId) => ({
      ...stream,
      look: (signal) =>
        looks(async () => {
          signal.throwIfAborted();
          if (streams === undefined) throw new DeviceProblem('unsupported', 'streams cannot be opened here');
          return await streams.look({ inputId, address: stream.source }, signal);
        }),
    }),
    async frame({ source, inputId }, signal) {
      return await streams?.frame({ inputId, address: source }, signal);
    },
    oscOf: (device, address, oscPort) => ({
      ...device,
      async status(types, signal) {
        const { host, port = v1Port } = partsOf(address);
        const place = { address: await outgoing.choose({ host, port }), port: oscPort };
        const { askOsc } = await import('./v1/ask-osc.ts');
        return await askOsc(place, types, timing.deviceCall.oscMs, signal);
      },
    }),
    identifyStream: (stream) => identifyDescribed('stream', stream, { address: '', pin: '' }),
    identifyOsc: async (device, address, pin) => ({
      ...(await identifyDescribed('v1', device, { address, pin: pin ?? '' })),
      ...{ address, ...(pin !== undefined && { pin }) },
    }),
    async loadDiscovery() {
      const [{ createDiscovery }, registry] = await Promise.all([import('./discovery/discover.ts'), drivers()]);
      return createDiscovery({ registry, outgoing, times: timing.discovery });
    },
    transportTo: (way) => (way.link === 'agent' ? agentTransport(way.sn, agentSocket) : transportTo(way, outgoing)),
    openPort,
    async openWeb(way, use) {
      const { openDeviceWeb } = await import('./device-web.ts');
      return await openDeviceWeb(way, {
        ...{ outgoing, connectMs: timing.link.portConnectMs },
        openPort: (port) => openPort(way, port, use),
      });
    },
    async identify(address, credentials, pin) {
      const { scheme, host, port } = partsOf(address);
      if (scheme !== undefined) return await identifyAt(address, credentials, pin);
      const [http, https] = (['http', 'https'] as const).map((one) => urlOf(one, host, port)) as [string, string];
      try {
        return await identifyAt(http, credentials, pin);
      } catch (error) {
        // A device may have HTTPS only, or send everyone there.
        if (!mayUseTls(error)) throw error;
        return await identifyAt(https, credentials, pin).catch((second: unknown) => {
          throw mayUseTls(second) ? error : second;
        });
      }
    },
  };
}

const mayUseTls = (error: unknown): boolean =>
  error instanceof DeviceProblem && ['unreachable', 'notADevice', 'invalidAnswer'].includes(error.word);

function partsOf(address: string) {
  const parts = readDeviceAddress(address);
  if (parts === undefined) throw new DeviceProblem('unreachable', 'that is not an address');
  return parts;
}

function urlOf(scheme: Scheme, host: string, port: number | undefined): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `${scheme}://${name}${port === undefined ? '' : `:${port}`}`;
}

/** The socket exists for a minute after it was asked for: it is asked for with each request. */
function agentTransport(sn: string, socketOf: DevicePortsOptions['agentSocket']): Transport {
  return {
    async request(request, signal) {
      const socket = socketOf(sn);
      if (socket === undefined) throw new DeviceProblem('linkDown', 'its agent is not connected');
      const { socketTransport } = await import('./transport.ts');
      return await socketTransport(socket).request(request, signal);
    },
  };
}

/** Returns a transport that is made with the first request. */
function transportTo(way: DeviceWay, outgoing: Outgoing): Transport {
  let made: Promise<Transport> | undefined;
  const make = async () => {
    const { scheme = 'http', host, port = usualPorts[scheme] } = partsOf(way.address);
    const { directTransport } = await import('./transport.ts');
    const fingerprint = way.pin === '' ? {} : { fingerprint: way.pin };
    return directTransport({ protocol: scheme, host, port, ...fingerprint }, outgoing);
  };
  return {
    async request(request, signal) {
      made ??= make();
      return await (await made).request(request, signal);
    },
  };
}
