/** Real HTTP servers for simulated devices. */
import type { Server, WebSocketHandler } from 'bun';
import type { DeviceAddress } from '../../../daemon/devices/transport.ts';
import type { DeviceCertificate } from '../../support/device-certificates.ts';
import type { SimulatedDevice } from './device.ts';

export interface Simulator extends Pick<SimulatedDevice, 'close'> {
  handle(request: Request, server?: Server<undefined>): Promise<Response>;
  /** Of a device with a web page. */
  readonly websocket?: WebSocketHandler<undefined>;
}

/** More than any file that a test sends. */
const maxRequestBytes = 1 << 30;

export interface ServedDevice {
  readonly address: DeviceAddress;
  /** From the next connection on. */
  showCertificate(certificate: DeviceCertificate): Promise<void>;
  /** Nothing listens at its address until it is switched on. */
  switchOff(): Promise<void>;
  switchOn(): void;
  close(): Promise<void>;
}

/** One device on a port of its own, 0: any. With a certificate, it speaks HTTPS. */
export function serveDevice(device: Simulator, certificate?: DeviceCertificate, wantedPort = 0): ServedDevice {
  const start = (port: number, tls: DeviceCertificate | undefined) =>
    Bun.serve({
      hostname: '127.0.0.1',
      port,
      idleTimeout: 0,
      maxRequestBodySize: maxRequestBytes,
      ...(tls && { tls }),
      fetch: (request, server) => device.handle(request, server),
      websocket: device.websocket ?? { message() {} },
    });
  let server = start(wantedPort, certificate);
  const port = server.port ?? 0;
  return {
    address: {
      protocol: certificate ? 'https' : 'http',
      host: '127.0.0.1',
      port,
      ...(certificate && { fingerprint: certificate.fingerprint }),
    },
    async showCertificate(next) {
      await server.stop(true);
      server = start(port, next);
    },
    switchOff: () => server.stop(true),
    switchOn() {
      server = start(port, certificate);
    },
    async close() {
      await server.stop(true);
      await device.close();
    },
  };
}

export interface ServedFleet {
  /** In the order of the devices. */
  readonly addresses: readonly DeviceAddress[];
  close(): Promise<void>;
}

const firstFleetAddress = 1;

/**
 * Any number of devices, each at a loopback address of its own (127.1.0.1 and up), with one port and one socket: the
 * address in the header `Host` selects the device. Clients from other machines are refused.
 */
export function serveFleet(devices: readonly Simulator[], port = 0): ServedFleet {
  const hosts = devices.map((_, index) => addressOf(index + firstFleetAddress));
  const byHost = new Map(hosts.map((host, index) => [host, devices[index]]));
  const server = Bun.serve({
    hostname: '0.0.0.0',
    port,
    idleTimeout: 0,
    fetch(request, bun) {
      const isLocal = /^(::ffff:)?127\./.test(bun.requestIP(request)?.address ?? '');
      const device = isLocal ? byHost.get(new URL(request.url).hostname) : undefined;
      return device === undefined ? new Response(null, { status: 404 }) : device.handle(request);
    },
  });
  return {
    addresses: hosts.map((host) => ({ protocol: 'http', host, port: server.port ?? 0 })),
    async close() {
      await server.stop(true);
      await Promise.all(devices.map((device) => device.close()));
    },
  };
}

function addressOf(number: number): string {
  return `127.${1 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
}
