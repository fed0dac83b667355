import { expect, test } from 'bun:test';
import { DeviceProblem } from '../../devices/problem.ts';
import { createDevicePictures } from './pictures.ts';

function setUp(ask: (sn: string) => Promise<Uint8Array | 'wait'>, restMs = 1000) {
  const world = { now: 1000, asked: [] as string[], looked: [] as string[], problems: [] as string[] };
  const source = createDevicePictures({
    canSee: () => true,
    async ask(sn) {
      world.asked.push(sn);
      const jpeg = await ask(sn);
      return jpeg === 'wait' ? jpeg : { jpeg, restMs };
    },
    onProblem: (sn) => world.problems.push(`${sn} ${source.problemOf(sn)}`),
    look: (sn) => world.looked.push(sn),
    now: () => world.now,
  });
  const settle = () => new Promise((done) => setImmediate(done));
  return { world, source, settle };
}

const jpegOf = (text: string) => new TextEncoder().encode(text);

test('a viewed device is asked once per second, and each picture is returned once', async () => {
  let count = 0;
  const { world, source, settle } = setUp(async () => jpegOf(`picture ${++count}`));
  expect(await source.newer(['1'], 0)).toEqual([]);
  await settle();
  expect(await source.newer(['1'], 0)).toEqual([{ key: '1', number: 1, jpeg: jpegOf('picture 1') }]);
  expect(await source.newer(['1'], 1)).toEqual([]);
  world.now += 999;
  await source.newer(['1'], 1);
  expect(world.asked).toHaveLength(1);
  world.now += 1;
  await source.newer(['1'], 1);
  await settle();
  expect(await source.newer(['1'], 1)).toEqual([{ key: '1', number: 2, jpeg: jpegOf('picture 2') }]);
  expect(new Set(world.looked)).toEqual(new Set(['1']));
});

test('a device is not asked again while it answers, and no other device waits for it', async () => {
  const { world, source, settle } = setUp((sn) =>
    sn === 'slow' ? new Promise(() => {}) : Promise.resolve(jpegOf(sn)),
  );
  await source.newer(['slow', '2'], 0);
  world.now += 5000;
  await settle();
  expect((await source.newer(['slow', '2'], 0)).map(({ key }) => key)).toEqual(['2']);
  expect(world.asked.filter((sn) => sn === 'slow')).toHaveLength(1);
});

test('a device without a picture is asked again after a minute, one that failed after 5 s', async () => {
  const { world, source, settle } = setUp((sn) =>
    Promise.reject(new DeviceProblem(sn === 'none' ? 'unsupported' : 'timeout', 'no')),
  );
  const look = async (ms: number) => {
    world.now += ms;
    await source.newer(['none', 'late'], 0);
    await settle();
  };
  await look(0);
  await look(5000);
  expect(world.asked).toEqual(['none', 'late', 'late']);
  for (let seconds = 5; seconds < 60; seconds += 5) await look(5000);
  expect(world.asked.filter((sn) => sn === 'none')).toHaveLength(2);
});

test('the picture of a device that is no longer viewed is dropped', async () => {
  const { world, source, settle } = setUp(async (sn) => jpegOf(sn));
  await source.newer(['1'], 0);
  await settle();
  world.now += 10_001;
  await source.newer(['2'], 0);
  await settle();
  expect((await source.newer(['1', '2'], 0)).map(({ key }) => key)).toEqual(['2']);
});

test('why there is no picture is known once it was asked for, until there is one', async () => {
  let answer: () => Promise<Uint8Array | 'wait'> = () => Promise.reject(new DeviceProblem('unsupported', 'none'));
  const { world, source, settle } = setUp(() => answer(), 5000);
  const look = async (ms: number) => {
    world.now += ms;
    await source.newer(['1'], 0);
    await settle();
  };
  expect(source.problemOf('1')).toBeUndefined();
  await look(0);
  answer = () => Promise.reject(new DeviceProblem('timeout', 'late'));
  for (let seconds = 0; seconds < 60; seconds += 5) await look(5000);
  answer = () => Promise.resolve('wait');
  await look(5000);
  expect(world.asked).toHaveLength(3);
  answer = async () => jpegOf('1');
  await look(400);
  expect(world.problems).toEqual(['1 none', '1 failed', '1 undefined']);
  await look(4999);
  expect(world.asked).toHaveLength(4);
});
