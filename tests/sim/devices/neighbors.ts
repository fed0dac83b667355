/**
 * `bun tests/sim/devices/neighbors.ts`: devices of a network, each at an address of its own that this machine must have.
 * Some announce themselves, one can only be found by trying its address, one is hostile. Says `ready` once all listen.
 */
import { createSocket } from 'node:dgram';
import { makeDeviceCertificate } from '../../support/device-certificates.ts';
import { type Announced, announce, descriptionOf } from './announce.ts';
import { MwapiDevice } from './mwapi.ts';
import { OnvifDevice } from './onvif.ts';
import type { Simulator } from './serve.ts';
import { UsapiDevice } from './usapi.ts';

const announced = (last: number, more: Partial<Announced>): Announced => ({
  ...{ address: `10.9.0.${last}`, name: '', model: '', sn: '', port: 80, by: [] },
  ...more,
});
const encoder = (sn: string) => new UsapiDevice({ kind: 'encode', sn, name: 'Hall' });

const certificate = makeDeviceCertificate('device');
await serve(
  new MwapiDevice({ kind: 'decoder', sn: 'A421240212014', name: 'Lobby' }),
  announced(4, { port: 443 }),
  certificate,
);
await Promise.all([
  serve(encoder('B313240506011'), announced(2, { name: 'Hall é', by: ['mdns'] })),
  serve(
    new OnvifDevice({ sn: '1234' }),
    announced(3, { name: 'Gate', model: 'Dome 4', sn: '1234', port: 8123, by: ['wsDiscovery'] }),
  ),
  serve(
    encoder('B313240506012'),
    announced(5, { name: 'Stage', model: 'Ultra', sn: 'B313240506012', port: 8124, by: ['ssdp', 'mdns'] }),
  ),
  serve(
    { handle: async () => new Response('a printer'), close: async () => {} },
    announced(6, { name: 'Printer', model: 'P1', by: ['ssdp'] }),
  ),
  // Only over IPv6.
  serve(encoder('B313240506013'), { ...announced(0, { name: 'Loft', by: ['mdns6'] }), address: 'fd09::8' }),
  beHostile('10.9.0.7'),
]);
console.log('ready');

async function serve(device: Simulator, at: Announced, tls?: typeof certificate): Promise<void> {
  Bun.serve({
    ...{ hostname: at.address, port: at.port, idleTimeout: 0 },
    ...(tls && { tls }),
    fetch: (request) => (request.url.endsWith('/description.xml') ? descriptionOf(at) : device.handle(request)),
  });
  await announce(at);
}

/** Answers every question with many datagrams of nonsense, and with answers in the name of others. */
async function beHostile(address: string): Promise<void> {
  const own = createSocket('udp4');
  await new Promise<void>((resolve) => own.bind(0, address, () => resolve()));
  const loop = Buffer.from('000084000000000100000000c00c000c800100000078', 'hex');
  const other = Buffer.from('HTTP/1.1 200 OK\r\nLOCATION: http://127.0.0.1:22/\r\n\r\n');
  const nested = Buffer.from(`<Envelope><Body>${'<a>'.repeat(2000)}`);
  await Promise.all(
    (
      [
        ['224.0.0.251', 5353],
        ['239.255.255.250', 1900],
        ['239.255.255.250', 3702],
      ] as const
    ).map(async ([group, port]) => {
      const socket = createSocket({ type: 'udp4', reuseAddr: true });
      await new Promise<void>((resolve) => socket.bind(port, () => resolve()));
      socket.addMembership(group, address);
      socket.on('message', (_, from) => {
        for (let count = 0; count < 300; count++) {
          for (const bytes of [loop, other, nested, Buffer.alloc(9000, count)])
            own.send(bytes, from.port, from.address);
        }
      });
    }),
  );
}
