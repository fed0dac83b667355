/**
 * Many simulated devices. Argument: their number. Prints one line about all of them, then the number of requests that
 * they got four times a second. A line `SERIAL on` or `SERIAL off` on stdin switches the signal of a device.
 */
import { createInterface } from 'node:readline';
import { makeFleet } from '../../sim/devices/fleet.ts';
import { serveFleet } from '../../sim/devices/serve.ts';

const reportMs = 250;
const devices = makeFleet({ count: Number(process.argv[2]), hasMedia: false });
let requests = 0;
const counted = devices.map((device) => ({
  handle(request: Request) {
    requests += 1;
    return device.handle(request);
  },
  close: () => device.close(),
}));
const fleet = serveFleet(counted);
const { user, password } = devices[0]?.credentials ?? { user: '', password: '' };
const list = devices.map(({ sn }, at) => {
  const { host = '', port = 0 } = fleet.addresses[at] ?? {};
  return { sn, address: `http://${host}:${port}`, user, password };
});
console.log(JSON.stringify({ list, requests }));
setInterval(() => console.log(JSON.stringify({ requests })), reportMs);

const bySn = new Map(devices.map((device) => [device.sn, device]));
for await (const line of createInterface({ input: process.stdin })) {
  const [sn = '', state] = line.split(' ');
  const device = bySn.get(sn);
  if (device !== undefined) device.hasSignal = state === 'on';
}
