/**
 * Simulated encoders that take firmware. Arguments: their number, and milliseconds that each writes and restarts. Prints
 * one line about all of them, then the bytes that they got four times a second.
 */
import { serveFleet } from '../../sim/devices/serve.ts';
import { UsapiDevice } from '../../sim/devices/usapi.ts';

const reportMs = 250;
const [count = 0, ms = 0] = process.argv.slice(2).map(Number);
const devices = Array.from({ length: count }, (_, at) => {
  const sn = `B313240101${String(at).padStart(3, '0')}`;
  return new UsapiDevice({ kind: 'encode', sn, name: `Encoder ${at}`, writeMs: ms, rebootMs: ms });
});
let received = 0;
const counted = devices.map((device) => ({
  handle(request: Request) {
    if (!request.url.includes('upload-update-file') || request.body === null) return device.handle(request);
    const counting = new TransformStream<Uint8Array, Uint8Array>({
      transform(part, controller) {
        received += part.byteLength;
        controller.enqueue(part);
      },
    });
    return device.handle(new Request(request, { body: request.body.pipeThrough(counting) }));
  },
  close: () => device.close(),
}));
const { addresses } = serveFleet(counted);
const list = devices.map(({ credentials }, at) => {
  const { host = '', port = 0 } = addresses[at] ?? {};
  return { address: `http://${host}:${port}`, ...credentials };
});
console.log(JSON.stringify({ list, received }));
setInterval(() => console.log(JSON.stringify({ received, at: performance.now() })), reportMs);
