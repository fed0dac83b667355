/** Devices that are streams, with a real FFmpeg behind them: added, watched, the input of a channel, and gone. */
import { afterAll, afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import type { Device } from '../../daemon/contract/devices.ts';
import { type StreamSource, serveStream } from '../sim/devices/stream-source.ts';
import { looped } from '../support/clips.ts';
import { until, untilSeen } from '../support/until.ts';
import { picture, source } from './live-media.ts';
import { openPictures, pictureMakers } from './picture-stream.ts';
import { openRigHub } from './rig-hub.ts';
import { timeDivisor } from './scaled-timing.ts';

setDefaultTimeout(90_000);

const rigHub = openRigHub({
  ...{ name: 'stream-devices', timeDivisor },
  environment: async () => ({ SIGNALBOX_FEATURES: 'devices' }),
});
const jpeg = Uint8Array.of(0xff, 0xd8, 1, 2, 3, 0xff, 0xd9);
const camera: StreamSource = serveStream({ input: looped(source), picture: () => jpeg });
afterAll(() => camera.close());
const open: AbortController[] = [];
afterEach(() => {
  for (const stream of open.splice(0)) stream.abort();
});

type Shown = Device & { readonly facts?: { readonly main?: object }; readonly address: string };
const shown = async (sn: string) => (await rigHub.hub.api<{ dev: Shown }>(`/api/device/query?sn=${sn}`)).dev;
/** Pictures that FFmpeg has made, which are larger than the one that the camera provides. */
const made = (pictures: readonly { readonly imageId: string; readonly bytes: Uint8Array }[], of: string) =>
  pictures.filter(({ imageId, bytes }) => imageId === of && bytes[0] === 0xff && bytes.length > 500).length;
let sn = '';

test('a stream is added with codec and size, is online, and shows the picture at its address', async () => {
  const { hub } = rigHub;
  const gone = { driver: 'stream', address: 'http://127.0.0.1:1/live.ts' };
  expect(await hub.answer('/api/device/add', gone)).toMatchObject({ params: { problem: 'unreachable' } });
  const noPath = { driver: 'stream', address: `${camera.origin}/other.ts` };
  expect(await hub.answer('/api/device/add', noPath)).toMatchObject({ params: { problem: 'refused' } });
  const address = `${camera.origin}/live.ts`;
  const added = await hub.api<{ list: { sn: string }[] }>('/api/device/add', {
    ...{ driver: 'stream', address, snapshot: '/picture.jpg', name: 'Yard' },
  });
  sn = added.list[0]?.sn ?? '';
  const device = await untilSeen(
    () => shown(sn),
    ({ connection }) => connection === 'online',
  );
  expect(device).toMatchObject({
    ...{ name: 'Yard', module: 4278190080, 'module-name': 'HTTP', type: 257 },
    facts: {
      main: { codec: 'h264', width: picture.width, height: picture.height },
      streams: [{ protocol: 'HTTP', address, state: 'running' }],
    },
  });
  // It is opened to look at it, not kept open.
  await until(() => camera.isOpen === 0);
  const pictures = await openPictures(hub);
  open.push(pictures.abort);
  await hub.api('/api/preview/setup', { id: pictures.handle, add: [`DEV-${sn}`] });
  await until(() => pictures.pictures.length > 0);
  expect(pictures.pictures[0]).toMatchObject({ imageId: `DEV-${sn}`, bytes: jpeg });
});

test('as the input of a channel the hub pulls it, and looks at what the channel has', async () => {
  const { hub, rig } = rigHub;
  const channel = await rig.addChannel();
  await hub.api('/api/device/connect', { sn, channel: channel.id });
  await channel.untilLive();
  expect((await shown(sn))['owner-i-d']).toEqual([channel.id]);
  await until(() => camera.isOpen === 1);
  const { opened } = camera;
  const looks = async () => (await shown(sn)).connection === 'online';
  // A look is due every 3 s, and opens nothing.
  const since = performance.now();
  await until(async () => (await looks()) && performance.now() - since > 4000, 20_000);
  expect([camera.opened, camera.isOpen]).toEqual([opened, 1]);
  // The picture of a device without one of its own is then the one that is made of the channel.
  await hub.api('/api/device/set', { sn, snapshot: '' });
  const pictures = await openPictures(hub);
  open.push(pictures.abort);
  await hub.api('/api/preview/setup', { id: pictures.handle, add: [`DEV-${sn}`, `CH-${channel.id}`] });
  await until(
    () => made(pictures.pictures, `DEV-${sn}`) > 0 && made(pictures.pictures, `CH-${channel.id}`) > 0,
    20_000,
  );
  expect(camera.isOpen).toBe(1);
  expect(await pictureMakers(hub)).toHaveLength(1);
  await hub.api('/api/device/connect', { sn, channel: 0 });
  await untilSeen(
    () => rig.view(channel.id),
    ({ state }) => state !== 'live',
  );
});

test('a picture is made of the stream of a device that has none, while it is viewed', async () => {
  const { hub } = rigHub;
  const pictures = await openPictures(hub);
  open.push(pictures.abort);
  await hub.api('/api/preview/setup', { id: pictures.handle, add: [`DEV-${sn}`] });
  // No channel has the stream: this is the one of the device.
  await until(async () => (await pictureMakers(hub)).length === 1, 20_000);
  const before = made(pictures.pictures, `DEV-${sn}`);
  await until(() => made(pictures.pictures, `DEV-${sn}`) > before + 1, 30_000);
  pictures.abort.abort();
  await until(async () => camera.isOpen === 0 && (await pictureMakers(hub)).length === 0, 20_000);
});

test('a stream that ends makes the device offline', async () => {
  await camera.close();
  const device = await untilSeen(
    () => shown(sn),
    ({ connection }) => connection === 'offline',
  );
  expect(device.problem).toBe('unreachable');
});
