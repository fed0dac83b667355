import { expect, test } from 'bun:test';
import type { Channel } from '../../../../../daemon/contract/channels.ts';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { impactOf, needsQuestion } from './impact.ts';

const encoder = { status: { recording: true }, 'owner-i': ['Studio'], 'owner-i-d': [7] } as unknown as Device;
const screen = { status: {}, 'owner-o': ['Studio'], 'owner-o-d': [7] } as unknown as Device;
const studio = {
  ...{ id: 7, name: 'Studio', clients: { total: 3 } },
  outputs: { list: [{ enable: true }, { enable: false }] },
} as unknown as Channel;

test('a restart interrupts the channels that the devices feed and play, and their recordings', () => {
  expect(impactOf('reboot', [encoder, screen, screen], [studio])).toEqual({
    fed: [{ name: 'Studio', receivers: { players: 3, outputs: 1 } }],
    ...{ played: ['Studio'], recording: 1 },
  });
});

test('the end of a live stream interrupts only what the device feeds', () => {
  const { fed, played, recording } = impactOf('live-stop', [encoder, screen], [studio]);
  expect([fed.length, played, recording]).toEqual([1, [], 0]);
});

test('of a channel that the user may not see, the name that the device states is known', () => {
  expect(impactOf('reboot', [encoder], undefined).fed).toEqual([{ name: 'Studio', receivers: undefined }]);
});

test('only what others may notice is asked before a single device does it', () => {
  expect(needsQuestion('reboot', screen)).toBe(true);
  expect(needsQuestion('live-stop', encoder)).toBe(true);
  expect(needsQuestion('live-stop', screen)).toBe(false);
  expect(needsQuestion('record-stop', encoder)).toBe(false);
});
