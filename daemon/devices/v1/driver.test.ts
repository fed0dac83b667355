import { describe, expect, test } from 'bun:test';
import { DirectorDevice } from '../../../tests/sim/devices/director.ts';
import { quickTimes, simulatedDevices, unaborted } from '../../../tests/sim/devices/rig.ts';
import { DeviceFacts } from '../../contract/device-facts.ts';
import type { OscDevice } from '../driver.ts';
import { createDriverRegistry, shippedDrivers } from '../registry.ts';
import { askOsc } from './ask-osc.ts';
import { createV1Driver } from './driver.ts';

const driver = createV1Driver({ ...quickTimes, answerMs: 300, actMs: 300 });
const serve = simulatedDevices();
const sn = 'V0123456789ABCDEF';
const none = { user: '', password: '' };
const oscMs = 400;

/** `hasOsc`: whether the device listens at the port at which it is asked. */
async function start({ hasOsc = true } = {}) {
  const { device, transport } = serve(new DirectorDevice());
  const port = await device.listen();
  const place = { address: '127.0.0.1', port: hasOsc ? port : 9 };
  const described: OscDevice = {
    ...{ sn, name: 'Stage' },
    status: (types, signal) => askOsc(place, types, hasOsc ? oscMs : 30, signal),
  };
  return { device, transport, described, session: driver.open(transport, none, described) };
}

test('the state of a device comes over OSC, and nothing is asked over HTTP', async () => {
  const { device, session } = await start();
  device.isRecording = true;
  const facts = await session.poll(unaborted);
  expect(DeviceFacts.safeParse(facts).error).toBeUndefined();
  expect(facts).toMatchObject({
    identity: { sn, name: 'Stage', api: 'v1', model: 'Director', 'product-id': 0 },
    ...{ recording: true, living: true, scene: 'HDMI 1', warnings: [] },
    streams: [
      { name: 'RTMP server', state: 'running', kbps: 11_230, 'run-s': 13 },
      { name: 'SRT caller', state: 'off' },
    ],
  });
  expect(facts.streams[1]).not.toHaveProperty('kbps');
  device.scene = 1;
  device.isRecording = false;
  expect(await session.poll(unaborted)).toMatchObject({ recording: false, scene: 'Webcam 1' });
  expect(device.calls).toEqual([]);
});

test('a lost question is sent again', async () => {
  const { device, session } = await start();
  device.lostQuestions = 2;
  expect(await session.poll(unaborted)).toMatchObject({ recording: false, living: true, scene: 'HDMI 1' });
});

test('a device that answers over HTTP only is there, and its state is unknown', async () => {
  const { device, session } = await start({ hasOsc: false });
  const facts = await session.poll(unaborted);
  expect(facts).toMatchObject({ warnings: ['stateUnknown'], streams: [] });
  expect([facts.recording, facts.living, facts.scene]).toEqual([undefined, undefined, undefined]);
  // What was called must not be an act.
  expect(device.calls).toEqual(['/V1.0/']);
});

test('answers of another address are ignored', async () => {
  const { device, session } = await start();
  device.isMasked = true;
  expect(await session.poll(unaborted)).toMatchObject({ warnings: ['stateUnknown'] });
});

test('a device that answers neither way is a problem', async () => {
  const { described } = await start({ hasOsc: false });
  const gone = driver.open(
    { request: () => Promise.reject(Object.assign(new Error('unreachable'), { name: 'gone' })) },
    none,
    described,
  );
  await expect(gone.poll(unaborted)).rejects.toThrow('unreachable');
  await expect(gone.identify(unaborted)).rejects.toThrow('unreachable');
});

test('a question ends as soon as its caller has given up', async () => {
  const controller = new AbortController();
  const waiting = askOsc({ address: '127.0.0.1', port: 9 }, ['scene'], 60_000, controller.signal);
  controller.abort(new Error('the hub is shutting down'));
  await expect(waiting).rejects.toThrow('the hub is shutting down');
});

test('it is never recognized by itself, and identified as what was entered', async () => {
  const { transport, described } = await start();
  expect(await driver.recognizes(transport, unaborted)).toBe(false);
  const registry = createDriverRegistry(shippedDrivers);
  expect(await registry.identifyDescribed('v1', transport, described, unaborted)).toMatchObject({ sn, name: 'Stage' });
});

describe('acts', () => {
  test('recording begins and ends', async () => {
    const { device, session } = await start();
    await session.setRecording?.(true, unaborted);
    expect(device.isRecording).toBe(true);
    await session.setRecording?.(false, unaborted);
    expect(device.isRecording).toBe(false);
    expect(device.calls).toEqual(['/V1.0/record/start', '/V1.0/record/stop']);
  });

  test('the first configured server is the quick stream, and all streams end', async () => {
    const { device, session } = await start();
    await session.setQuickStream?.(false, unaborted);
    expect(device.servers.some(({ isStreaming }) => isStreaming)).toBe(false);
    await session.setQuickStream?.(true, unaborted);
    expect(device.servers.map(({ isStreaming }) => isStreaming)).toEqual([false, true, false]);
    expect(device.calls).toEqual(['/V1.0/stream/stopAll', '/V1.0/stream/actionById?id=1760000000477&start=true']);
  });

  test('without a configured server, there is no quick stream', async () => {
    const { device, session } = await start();
    for (const server of device.servers) server.isConfigured = false;
    await expect(session.setQuickStream?.(true, unaborted)).rejects.toMatchObject({ word: 'refused' });
    expect(device.calls).toEqual([]);
  });

  test('a device whose state is unknown is told to begin with its first server', async () => {
    const { device, session } = await start({ hasOsc: false });
    await session.setQuickStream?.(true, unaborted);
    expect(device.calls).toEqual(['/V1.0/stream/actionByIndex?index=0&start=true']);
  });

  test('an act whose answer is lost is read back, and never repeated', async () => {
    const { device, session } = await start();
    device.unanswered = ['record/start', 'stream/stopAll'];
    await session.setRecording?.(true, unaborted);
    await session.setQuickStream?.(false, unaborted);
    expect(device.calls).toEqual(['/V1.0/record/start', '/V1.0/stream/stopAll']);
    const blind = await start({ hasOsc: false });
    blind.device.unanswered = ['record/start'];
    await expect(blind.session.setRecording?.(true, unaborted)).rejects.toMatchObject({ word: 'timeout' });
    expect(blind.device.calls).toEqual(['/V1.0/record/start']);
  });

  test.each([
    [401, 'noPermission'],
    [404, 'unsupported'],
    [500, 'refused'],
  ])('HTTP status %d is the problem %s', async (status, word) => {
    const { device, session } = await start();
    device.status = status;
    await expect(session.setRecording?.(true, unaborted)).rejects.toMatchObject({ word, code: status });
  });

  test('a device that restarts before it answers has restarted', async () => {
    const { device, session } = await start();
    device.unanswered = ['system/reboot'];
    expect(await session.reboot?.(unaborted)).toEqual({ silentMs: quickTimes.rebootMs });
  });
});
