import { expect, test } from 'bun:test';
import { screen } from '@testing-library/react';
import type { Channel, ChannelInput } from '../../../../../daemon/contract/channels.ts';
import { connectionStates } from '../../../../../daemon/contract/streams.ts';
import { answerCalls, renderPage } from '../../../ui/render-for-test.tsx';
import { InputPicture } from './InputPicture.tsx';

const channel = { id: 7, name: 'Studio' } as Channel;
const connected: ChannelInput = {
  ...{ role: 'backup', id: 1001, name: 'Camera', type: 258, protocol: 4, addr: '', state: 1 },
  ...{ 'conn-state': connectionStates.connected, kbps: 0, 'total-bytes': 0, 'living-time-s': 0, reconnects: 0 },
};
const h264 = { video: { codec: 'h264' } };

test.each([
  ['is not connected', { ...connected, 'conn-state': connectionStates.waiting }, true, 'No signal'],
  ['has audio only', { ...connected, media: { audio: { codec: 'aac' } } }, true, 'No video'],
  ['has another codec', { ...connected, media: { video: { codec: 'mpeg2video' } } }, true, 'No thumbnails for MPEG-2'],
  ['needs an FFmpeg', { ...connected, media: h264 }, false, 'FFmpeg: not installed'],
  ['has no keyframe yet', { ...connected, media: h264 }, true, 'Waiting for the next keyframe'],
])('the picture of an input that %s is replaced by the reason', async (_what, input, ok, text) => {
  answerCalls({
    '/api/system/status': { result: 0, status: { system: { parts: [{ name: 'ffmpeg', ok, reason: 'missing' }] } } },
  });
  renderPage(<InputPicture channel={channel} input={input as ChannelInput} />);
  expect(await screen.findByText(text)).toBeTruthy();
});
