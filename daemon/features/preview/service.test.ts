import { afterEach, expect, test } from 'bun:test';
import { until } from '../../../tests/support/until.ts';
import type { NumberedPicture, PictureSource } from '../../http/picture-source.ts';
import type { Session } from '../../http/route.ts';
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
  const asked: { readonly keys: readonly string[]; readonly after: number }[] = [];
  const state = { now: 0, pictures: [] as NumberedPicture[], hidden: new Set<string>(), isSignedIn: true };
  /** Objects 1 to 9. */
  const source = (prefix: string, pictures: () => readonly NumberedPicture[]): PictureSource => ({
    prefix,
    canSee: (_, key) => /^[1-9]$/.test(key) && !state.hidden.has(`${prefix}-${key}`),
    newer(keys, after) {
      if (prefix === 'CH') asked.push({ keys, after });
      return Promise.resolve(pictures().filter(({ key, number }) => keys.includes(key) && number > after));
    },
  });
  const pauses: (() => void)[] = [];
  const endings = new Set<(idHash: string) => void>();
  const service = createPreviewService({
    sources: [source('CH', () => state.pictures), source('DEV', () => [picture(1, 7)])],
    sessions: {
      current: (idHash) => (state.isSignedIn ? sessionOf(idHash) : null),
      onEnd(listener) {
        endings.add(listener);
        return () => endings.delete(listener);
      },
    },
    now: () => state.now,
    sleep: () => new Promise((resolve) => pauses.push(resolve)),
  });
  started.push(service);
  const endSession = (idHash: string) => {
    for (const listener of endings) listener(idHash);
  };
  /** Ends the pause before the next request to each source, and lets the result arrive. */
  const goOn = async () => {
    await until(() => pauses.length > 0);
    for (const end of pauses.splice(0)) end();
    await Bun.sleep(0);
  };
  return { service, state, asked, goOn, endSession };
}
const picture = (id: number, number: number): NumberedPicture => ({ key: String(id), number, jpeg });
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
  expect(asked.map(({ keys }) => keys)).toEqual([
    ['1', '2'],
    ['1', '2'],
  ]);
  service.clear(ann, one.handle);
  service.clear(ann, two.handle);
  await goOn();
  expect(asked).toHaveLength(2);
  const three = service.open(ann);
  service.setup(ann, { id: three.handle, add: [3] });
  await goOn();
  expect(asked.slice(2).map(({ keys }) => keys)).toEqual([['3'], ['3']]);
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

test('each picture is shown to those who may see it now; the other ids of a call take effect', async () => {
  const { service, state, asked, goOn } = stage();
  const { handle, boundary, body } = service.open(ann);
  state.hidden.add('CH-2');
  service.setup(ann, { id: handle, add: [1, 'CH-2', 'CH-99', 'DEV-1', 'NONE-1'] });
  await goOn();
  expect(asked.at(-1)?.keys).toEqual(['1']);
  const reader = body.getReader();
  expect(await textOf(reader)).toBe(`--${boundary}\r\n`);
  expect(await textOf(reader)).toStartWith('image-id: DEV-1\r\n');
  state.hidden.add('CH-1');
  service.check();
  await goOn();
  const count = asked.length;
  state.pictures = [picture(1, 1), picture(2, 2)];
  service.setup(ann, { id: handle, add: ['CH-2', 'CH-3'] });
  expect(asked.slice(count).map(({ keys }) => keys)).toEqual([['3']]);
  expect(service.count()).toBe(1);
});

test('a handle belongs to its session, and ends with it', () => {
  const { service, state, endSession } = stage();
  const { handle } = service.open(ann);
  service.open(sessionOf('bob'));
  expect(() => service.setup(sessionOf('bob'), { id: handle, add: [1] })).toThrow('no such preview');
  expect(() => service.clear(sessionOf('bob'), handle)).toThrow('no such preview');
  endSession('ann');
  expect(service.count()).toBe(1);
  state.isSignedIn = false;
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
  for (const id of ['CH2', 'CH-', '-2', 'CH-2\r\nx: y']) {
    expect(() => service.setup(ann, { id: handle, add: [1, id] })).toThrow('image id');
  }
});
