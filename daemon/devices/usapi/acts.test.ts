/** What a device answers to recording and live streaming instead of doing it. */
import { describe, expect, test } from 'bun:test';
import { quickTimes, simulatedDevices, unaborted } from '../../../tests/sim/devices/rig.ts';
import { UsapiDevice } from '../../../tests/sim/devices/usapi.ts';
import type { ActionFault } from '../../contract/device-actions.ts';
import type { DeviceProblem } from '../problem.ts';
import { createUsapiDriver } from './driver.ts';

const serve = simulatedDevices();

function setUp() {
  const { device, transport } = serve(new UsapiDevice({ kind: 'encode', sn: 'B313240506011', name: 'Hall' }));
  const driver = createUsapiDriver({ ...quickTimes, settleMs: 30, answerMs: 300, actMs: 100 });
  const session = driver.open(transport, { user: 'Admin', password: 'Admin' });
  return { device, session };
}
const fault = (work: Promise<unknown> | undefined): Promise<DeviceProblem> =>
  (work ?? Promise.resolve()).then(
    () => Promise.reject(new Error('the device did it')),
    (error: DeviceProblem) => error,
  );

describe.each<['start-rec' | 'start-live' | 'set-name', readonly [code: number, fault: ActionFault][]]>([
  [
    'start-rec',
    [
      ...([
        [-5, 'storageMissing'],
        [-6, 'storageLost'],
        [-16, 'storageFull'],
        [4, 'storageLow'],
      ] as const),
      ...([
        [3, 'storageSlow'],
        [-36, 'storageFailed'],
        [-35, 'noSignal'],
        [-47, 'ndiLimit'],
        [-23, 'codec'],
      ] as const),
    ].map(([code, word]) => [code, word]),
  ],
  [
    'start-live',
    [
      ...([
        [-20, 'noServer'],
        [29, 'noServer'],
        [-2, 'liveLocked'],
        [-35, 'noSignal'],
        [-53, 'badConfig'],
      ] as const),
      ...([
        [-29, 'sessionLimit'],
        [-45, 'ndiLimit'],
        [-51, 'sessionNotStarted'],
        [-21, 'networkDown'],
      ] as const),
    ].map(([code, word]) => [code, word]),
  ],
  [
    'set-name',
    [
      [-27, 'nameTaken'],
      [-28, 'nameCharacters'],
      [-10, 'invalidValue'],
      [-12, 'tookTooLong'],
      [-18, 'deviceError'],
    ],
  ],
])('%s', (method, codes) => {
  test.each(codes)('with the code %d is refused as %s', async (code, word) => {
    const { device, session } = setUp();
    device.faults = { codes: { [method]: code } };
    const act = {
      'start-rec': () => session.setRecording?.(true, unaborted),
      'start-live': () => session.setLive?.(true, unaborted),
      'set-name': () => session.rename?.('Hall 2', unaborted),
    }[method];
    expect(await fault(act())).toMatchObject({ code, fault: word });
  });
});

test('a code without a known meaning has no word of its own', async () => {
  const { device, session } = setUp();
  device.faults = { codes: { 'start-rec': -57 } };
  expect(await fault(session.setRecording?.(true, unaborted))).toMatchObject({ code: -57, fault: undefined });
});

test('a device that accepts it and does not record says why in its state, if it does', async () => {
  const { device, session } = setUp();
  device.faults = { codes: { 'start-rec': 0 } };
  expect(await fault(session.setRecording?.(true, unaborted))).toMatchObject({ word: 'refused', fault: 'notDone' });
  device.recordResult = -16;
  expect(await fault(session.setRecording?.(true, unaborted))).toMatchObject({ code: -16, fault: 'storageFull' });
});

test('a device that does not answer has not done it, or it is not known', async () => {
  const { device, session } = setUp();
  device.faults = { lost: ['start-rec'] };
  expect(await fault(session.setRecording?.(true, unaborted))).toMatchObject({ word: 'timeout', fault: 'notDone' });
  device.faults = { lost: ['start-rec', 'get-status'] };
  expect(await fault(session.setRecording?.(true, unaborted))).toMatchObject({ word: 'timeout', fault: 'unknown' });
  expect(device.calls.filter((method) => method === 'start-rec')).toHaveLength(2);
});

test('a device that does it already says so', async () => {
  const { session } = setUp();
  expect(await session.setRecording?.(true, unaborted)).toBeUndefined();
  expect(await session.setRecording?.(true, unaborted)).toBe('repeated');
});
