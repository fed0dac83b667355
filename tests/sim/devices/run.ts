/**
 * `bun tests/sim/devices/run.ts --count 12`: simulated devices on loopback addresses, until Ctrl-C. Their states and
 * faults are changed over HTTP on the control port:
 *
 *     curl 127.0.0.1:8801/devices
 *     curl 127.0.0.1:8801/devices/B313240101000 -d '{"hasSignal": false, "faults": {"delayMs": 800}}'
 */
import { parseArgs } from 'node:util';
import * as z from 'zod';
import type { SimulatedDevice } from './device.ts';
import { makeFleet } from './fleet.ts';
import { serveFleet } from './serve.ts';
import { UsapiDevice } from './usapi.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '12' },
    port: { type: 'string', default: '8800' },
    control: { type: 'string', default: '8801' },
    /** Without FFmpeg processes: for large fleets. */
    'no-media': { type: 'boolean', default: false },
  },
});

const Change = z.strictObject({
  hasSignal: z.optional(z.boolean()),
  hasDisk: z.optional(z.boolean()),
  /** Null ends an update. */
  updatePercent: z.optional(z.nullable(z.number())),
  expireSessions: z.optional(z.boolean()),
  /** Replaces all faults. */
  faults: z.optional(
    z.strictObject({
      isSilent: z.optional(z.boolean()),
      delayMs: z.optional(z.number()),
      unanswered: z.optional(z.array(z.string())),
      status: z.optional(z.int()),
      codes: z.optional(z.record(z.string(), z.int())),
      codesAsText: z.optional(z.boolean()),
      missing: z.optional(z.array(z.string())),
      answer: z.optional(z.enum(['broken', 'huge', 'endless'])),
      forgetsSessions: z.optional(z.boolean()),
    }),
  ),
});

const devices = makeFleet({ count: Number(values.count), hasMedia: !values['no-media'] });
const fleet = serveFleet(devices, Number(values.port));
const bySerial = new Map(devices.map((device) => [device.sn, device]));
const control = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(values.control),
  async fetch(request) {
    const [, noun, sn] = new URL(request.url).pathname.split('/');
    if (noun !== 'devices') return new Response('/devices or /devices/SERIAL\n', { status: 404 });
    if (sn === undefined) return Response.json(listed());
    const device = bySerial.get(sn);
    if (device === undefined) return new Response('no such device\n', { status: 404 });
    const change = Change.safeParse(await request.json().catch(() => undefined));
    if (!change.success) return new Response(`${z.prettifyError(change.error)}\n`, { status: 400 });
    apply(device, change.data);
    return Response.json({ sn, faults: device.faults });
  },
});

const { credentials } = devices[0] as SimulatedDevice;
console.log(`${devices.length} devices, user ${credentials.user}, password ${credentials.password}`);
for (const { sn, url, name } of listed().slice(0, 20)) console.log(`${url}  ${sn}  ${name}`);
if (devices.length > 20) console.log(`and ${devices.length - 20} more, see http://127.0.0.1:${control.port}/devices`);

let isEnding = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, async () => {
    if (isEnding) return;
    isEnding = true;
    await Promise.all([fleet.close(), control.stop(true)]);
    process.exit(0);
  });
}

function listed() {
  return devices.map((device, index) => {
    const { protocol, host, port } = fleet.addresses[index] ?? { protocol: 'http', host: '', port: 0 };
    return { sn: device.sn, name: device.name, url: `${protocol}://${host}:${port}` };
  });
}

function apply(
  device: SimulatedDevice,
  { hasSignal, hasDisk, updatePercent, expireSessions, faults }: z.infer<typeof Change>,
) {
  if (hasSignal !== undefined) device.hasSignal = hasSignal;
  if (hasDisk !== undefined && device instanceof UsapiDevice) device.hasDisk = hasDisk;
  if (updatePercent !== undefined) device.updatePercent = updatePercent ?? undefined;
  if (expireSessions) device.expireSessions();
  if (faults !== undefined) device.faults = faults as SimulatedDevice['faults'];
}
