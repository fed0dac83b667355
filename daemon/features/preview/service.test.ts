import { afterEach, expect, test } from 'bun:test';
import { until } from '../../../tests/support/until.ts';
import type { Session } from '../../http/route.ts';
import type { EngineRequest, SmallPicture } from '../../media/protocol/messages.ts';
import { bounds, createPreviewService, type PreviewService } from './service.ts';

const sessionOf = (idHash: string, userId = 1): Session => ({
  idHash,
  user: { id: userId, name: 'Admin', groupId: 1, groupName: 'Admin', permission: 0, type: 1 },
});
const ann = sessionOf('ann');
const jpeg = Buffer.from([0xff, 0xd8, 1, 2, 3]);

const started: PreviewService[] = [];
afterEach(() => {
  for (const service of started.splice(0)) service.close();
});

function stage() {
  const asked: Extract<EngineRequest, { what: 'pictures' }>[] = [];
  const state = { now: 0, mayLook: true, pictures: [] as SmallPicture[] };
  const pauses: (() => void)[] = [];
  const endings = new Set<(idHash: string) => void>();
  const service = createPreviewService({
    media: {
      request: (ask) => {
        if (ask.what !== 'pictures') return Promise.reject(new Error('asked for something else'));
        asked.push(ask);
        const list = state.pictures.filter(({ number }) => number > ask.after);
        return Promise.resolve({ what: 'pictures', list });
      },
    },
    sessions: {
      current: (idHash) => sessionOf(idHash),
      onEnd(listener) {
        endings.add(listener);
        return () => endings.delete(listener);
      },
    },
    mayLook: () => state.mayLook,
    channelExists: (id) => id < 10,
    now: () => state.now,
    sleep: () => new Promise((resolve) => pauses.push(resolve)),
  });
  started.push(service);
  const endSession = (idHash: string) => {
    for (const listener of endings) listener(idHash);
  };
  /** Ends the pause before the next request to the engine, and lets the result arrive. */
  const goOn = async () => {
    await until(() => pauses.length > 0);
    pauses.shift()?.();
    await Bun.sleep(0);
  };
  return { service, state, asked, goOn, endSession };
}
const picture = (channelId: number, number: number): SmallPicture => ({
  channelId,
  number,
  jpeg: jpeg.toString('base64'),
});
const textOf = async (reader: ReadableStreamDefaultReader<Uint8Array>) =>
  Buffer.from((await reader.read()).value ?? []).toString('latin1');

test('a stream is framed as published, with the boundary right after each picture', async () => {
  const { service, state } = stage();
  const { handle, boundary, body } = service.open(ann);
  const reader = body.getReader();
  expect(await textOf(reader)).toBe(`--${boundary}\r\n`);
  state.pictures = [picture(3, 1)];
  service.setup(ann, { id: handle, add: ['CH-3'] });
  const head = 'image-id: CH-3\r\ncontent-type: image/jpeg\r\ncontent-length: 5\r\n\r\n';
  expect(await textOf(reader)).toBe(`${head}${jpeg.toString('latin1')}\r\n--${boundary}\r\n`);
});

test('the engine is polled only while there are viewers, once for all of them', async () => {
  const { service, asked, goOn } = stage();
  const [one, two] = [service.open(ann), service.open(ann)];
  service.setup(ann, { id: one.handle, add: [1, 'CH-2', 99] });
  service.setup(ann, { id: two.handle, add: ['2'] });
  await goOn();
  expect(asked.map(({ channels }) => channels)).toEqual([
    [1, 2],
    [1, 2],
  ]);
  service.clear(ann, one.handle);
  service.clear(ann, two.handle);
  await goOn();
  expect(asked).toHaveLength(2);
  const three = service.open(ann);
  service.setup(ann, { id: three.handle, add: [3] });
  await goOn();
  expect(asked.slice(2).map(({ channels }) => channels)).toEqual([[3], [3]]);
});

test('a viewer that does not read is dropped; of several pictures it gets only the newest', async () => {
  const { service, state, asked, goOn } = stage();
  const { handle, body } = service.open(ann);
  state.pictures = [picture(1, 1)];
  service.setup(ann, { id: handle, add: [1] });
  for (const number of [2, 3, 4]) {
    await goOn();
    state.pictures = [picture(1, number)];
  }
  await goOn();
  expect(asked.at(-1)?.after).toBe(3);
  state.now = 14_000;
  service.check();
  expect(service.count()).toBe(1);
  state.now = 16_000;
  service.check();
  expect(service.count()).toBe(0);
  const reader = body.getReader();
  expect(await textOf(reader)).toStartWith('--signalbox-');
  expect((await reader.read()).done).toBe(true);
});

test('a handle belongs to its session, and ends with it or with the permission', () => {
  const { service, state, endSession } = stage();
  const { handle } = service.open(ann);
  service.open(sessionOf('bob'));
  expect(() => service.setup(sessionOf('bob'), { id: handle, add: [1] })).toThrow('no such preview');
  expect(() => service.clear(sessionOf('bob'), handle)).toThrow('no such preview');
  endSession('ann');
  expect(service.count()).toBe(1);
  state.mayLook = false;
  service.check();
  expect(service.count()).toBe(0);
});

test('streams are limited per session, per user and for all who may not edit', () => {
  const { service } = stage();
  const { handle } = service.open(ann);
  for (let more = 1; more < 6; more++) service.open(ann);
  expect(() => service.open(ann)).toThrow('at most 6 for one session');
  for (let more = 6; more < bounds.perUser; more++) service.open(sessionOf(`session ${more}`));
  expect(() => service.open(sessionOf('late'))).toThrow('at most 16 for one user');
  const open = bounds.max - bounds.keptForEditors;
  for (let more = bounds.perUser; more < open; more++) service.open(sessionOf(`session ${more}`, more));
  expect(() => service.open(sessionOf('later', 3))).toThrow('at most 48 for all users without edit permission');
  service.clear(ann, handle);
  const again = service.open(sessionOf('later', 3)).handle;
  service.clear(sessionOf('later', 3), again);
  expect(service.count()).toBe(open - 1);
});

test('an invalid image request names its field', () => {
  const { service } = stage();
  const { handle } = service.open(ann);
  expect(() => service.setup(ann, { id: handle, add: [1, 'DEV-2'] })).toThrow('image id');
});
