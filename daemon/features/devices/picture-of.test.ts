import { expect, test } from 'bun:test';
import { DeviceProblem } from '../../devices/problem.ts';
import type { PulledSource } from '../../sources/stream-device.ts';
import type { OwnDevice } from './inventory.ts';
import { createPictureFinder } from './picture-of.ts';

const [own, ofChannel, frame] = [1, 2, 3].map((byte) => Uint8Array.of(0xff, 0xd8, byte)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
const rtsp: PulledSource = {
  ...{ protocol: 'rtsp', url: 'rtsp://10.0.0.9:8554/sub?a=b', username: 'u', password: 'p' },
  ...{ tcpFirst: true, bufferMs: 200 },
};
const unsupported = () => Promise.reject(new DeviceProblem('unsupported', 'none'));

function setUp(given: {
  readonly own?: () => Promise<Uint8Array>;
  readonly ofChannel?: Uint8Array | 'notYet';
  readonly stream?: PulledSource;
  readonly frame?: Uint8Array;
  readonly row?: object;
}) {
  const opened: unknown[] = [];
  const row = { id: 7, sn: 'A', link: 'direct', address: 'https://cam.example:8443', stream: null, ...given.row };
  const find = createPictureFinder({
    inventory: { devices: () => new Map([['A', { row } as unknown as OwnDevice]]) },
    reports: { picture: given.own ?? unsupported, stream: async () => given.stream },
    channels: { devicePicture: async () => given.ofChannel },
    ports: {
      async frame(stream) {
        opened.push(stream);
        return given.frame;
      },
    },
  });
  return { ask: () => find('A'), opened };
}

test('a picture of its own comes first, then that of the channel, then one of its stream', async () => {
  const all = { own: async () => own, ofChannel, stream: rtsp, frame };
  expect(await setUp(all).ask()).toEqual({ jpeg: own, restMs: 1000 });
  const { own: _, ...withoutOwn } = all;
  const second = setUp(withoutOwn);
  expect(await second.ask()).toEqual({ jpeg: ofChannel, restMs: 1000 });
  expect(second.opened).toEqual([]);
  expect(await setUp({ ...withoutOwn, ofChannel: 'notYet' }).ask()).toBe('wait');
  expect(await setUp({ stream: rtsp, frame }).ask()).toEqual({ jpeg: frame, restMs: 5000 });
});

test('a stream is opened at the address of the device, whatever host it states', async () => {
  const stated = setUp({ stream: rtsp, frame });
  await stated.ask();
  expect(stated.opened).toEqual([
    { source: { ...rtsp, url: 'rtsp://cam.example:8554/sub?a=b' }, inputId: 0x1000_0007 },
  ]);
  const isStream = setUp({ stream: rtsp, frame, row: { stream: 'sealed', address: 'rtsp://10.0.0.9:8554/sub' } });
  await isStream.ask();
  expect(isStream.opened).toMatchObject([{ source: rtsp }]);
});

test('a device without any of them has no picture; another failure is told as it is', async () => {
  await expect(setUp({}).ask()).rejects.toMatchObject({ word: 'unsupported' });
  await expect(setUp({ stream: rtsp, row: { link: 'agent' } }).ask()).rejects.toMatchObject({ word: 'unsupported' });
  await expect(setUp({ stream: rtsp }).ask()).rejects.toMatchObject({ word: 'timeout' });
  const late = () => Promise.reject(new DeviceProblem('timeout', 'late'));
  await expect(setUp({ own: late, stream: rtsp, frame }).ask()).rejects.toMatchObject({ word: 'timeout' });
});
