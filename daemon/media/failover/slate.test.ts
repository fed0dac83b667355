import { expect, test } from 'bun:test';
import { messageType } from '../flv/flv-bus.ts';
import { encodeSlate, slateLook } from './slate.ts';

const look = slateLook({
  container: 'ts',
  video: { codec: 'h264', width: 321, height: 180, fps: 30 },
  audio: { codec: 'aac', sampleRate: 44_100, channels: 1 },
});
const run = (kind: 'bars' | 'picture', path = '') =>
  encodeSlate('ffmpeg', kind === 'bars' ? { kind } : { kind, path }, look, new AbortController().signal);

test('a slate looks like the stream it stands in for, as far as a coder can', () => {
  expect(look).toEqual({ width: 320, height: 180, fps: 30, codec: 'h264', sampleRate: 44_100, channels: 1 });
  expect(slateLook(undefined)).toMatchObject({ width: 1280, height: 720, codec: 'h264' });
});

test('it is one group of pictures with sound from its first moment to its last', async () => {
  const { messages, headers, durationMs } = await run('bars');
  const times = (type: number) => messages.filter((one) => one.type === type).map(({ timestamp }) => timestamp);
  expect(headers.map(({ type }) => type)).toEqual([messageType.video, messageType.audio]);
  expect(durationMs).toBe(2000);
  expect(times(messageType.video)).toHaveLength(60);
  for (const type of [messageType.video, messageType.audio]) {
    const list = times(type);
    expect(list[0]).toBeLessThan(50);
    expect(list.at(-1)).toBeGreaterThan(1930);
    expect(Math.max(...list.slice(1).map((at, i) => at - list[i]!))).toBeLessThan(50);
  }
});

test('a picture that can not be read is refused', async () => {
  await expect(run('picture', '/nowhere/a.png')).rejects.toThrow('no picture');
});
