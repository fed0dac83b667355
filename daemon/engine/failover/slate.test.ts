import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandLine, processTree } from '../../../tests/bench/proc.ts';
import { messageType } from '../flv/flv-bus.ts';
import { encodeSlate, slateLook } from './slate.ts';

const look = slateLook({
  container: 'ts',
  video: { codec: 'h264', width: 321, height: 180, fps: 30 },
  audio: { codec: 'aac', sampleRate: 44_100, channels: 1 },
});
const folder = mkdtempSync(join(tmpdir(), 'signalbox-slate-'));
afterAll(() => rmSync(folder, { recursive: true }));
/** One red pixel. */
const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const run = (kind: 'bars' | 'picture', path = '') =>
  encodeSlate('ffmpeg', kind === 'bars' ? { kind } : { kind, path }, look, new AbortController().signal);

test('a slate matches the stream it replaces, as far as an encoder can', () => {
  expect(look).toEqual({ width: 320, height: 180, fps: 30, codec: 'h264', sampleRate: 44_100, channels: 1 });
  expect(slateLook(undefined)).toMatchObject({ width: 1280, height: 720, codec: 'h264' });
});

test('a slate is one group of pictures with audio from start to end', async () => {
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

test('a picture is shown from the first frame to the last', async () => {
  const path = join(folder, 'picture.png');
  writeFileSync(path, Buffer.from(picture, 'base64'));
  const { messages, durationMs } = await run('picture', path);
  expect(durationMs).toBe(2000);
  expect(messages.filter(({ type }) => type === messageType.video)).toHaveLength(60);
});

test('slates are encoded one at a time, whatever the number of channels', async () => {
  const isEncoder = (pid: number) => commandLine(pid).includes('smptehdbars=size=320x180:rate=30');
  let max = 0;
  const timer = setInterval(() => {
    max = Math.max(max, processTree(process.pid).filter(isEncoder).length);
  }, 1);
  const clips = await Promise.all([run('bars'), run('bars'), run('bars')]);
  clearInterval(timer);
  expect(clips).toHaveLength(3);
  expect(max).toBe(1);
});

test('an encoding that is cancelled while it waits for its turn does not start', async () => {
  const aborter = new AbortController();
  const first = run('bars');
  const second = encodeSlate('ffmpeg', { kind: 'bars' }, look, aborter.signal);
  aborter.abort(new Error('ended'));
  await expect(second).rejects.toThrow('ended');
  await first;
});

test('an unreadable picture is refused', async () => {
  await expect(run('picture', '/nowhere/a.png')).rejects.toThrow('no picture');
});
