/** Thumbnails and the live preview through the real hub and a real FFmpeg: access, cost, failures. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Recipe } from '../support/clips.ts';
import { until } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { killAll, publish } from './live-media.ts';
import { openPictures, pictureMakers } from './picture-stream.ts';
import { timeDivisor } from './scaled-timing.ts';

setDefaultTimeout(90_000);

let hub: HubProcess;
beforeAll(async () => {
  hub = await startHub({ timeDivisor });
  await hub.login();
});
const open: AbortController[] = [];
afterEach(async () => {
  for (const stream of open.splice(0)) stream.abort();
  await killAll();
});
afterAll(() => hub.stop());

let channels = 0;
async function liveChannel(recipe?: Recipe): Promise<number> {
  const push = `preview-push-${++channels}`;
  const config = { 'push-key': push, 'play-key': `preview-play-${channels}`, enable: true };
  const { id } = await hub.api<{ id: number }>('/api/channel/add', { name: `Preview ${channels}`, config });
  publish(`rtmp://127.0.0.1:${hub.ports.rtmp}/live/${push}`, recipe);
  const isLive = async () => (await hub.api<{ state: string }>(`/api/channel/query?id=${id}`)).state === 'live';
  await until(isLive, 15_000, 'the channel is live');
  return id;
}

async function openStream() {
  const stream = await openPictures(hub);
  open.push(stream.abort);
  return stream;
}

const makers = () => pictureMakers(hub);
const setup = (handle: string, change: object) => hub.answer('/api/preview/setup', { id: handle, ...change });

test('thumbnails arrive, change, and are at most one per second; one FFmpeg serves all, and none remains', async () => {
  const id = await liveChannel();
  const [one, other] = [await openStream(), await openStream()];
  expect(one.type).toStartWith('multipart/x-mixed-replace; boundary=');
  expect((await setup(one.handle, { add: [id] })).result).toBe(0);
  expect((await setup(other.handle, { add: [`CH-${id}`] })).result).toBe(0);
  await until(async () => one.pictures.length >= 4 && other.pictures.length >= 4, 20_000, 'four pictures came to both');
  expect(await makers()).toHaveLength(1);
  expect(one.pictures.every(({ imageId, bytes }) => imageId === String(id) && bytes[0] === 0xff)).toBe(true);
  expect(other.pictures.every(({ imageId }) => imageId === `CH-${id}`)).toBe(true);
  expect(new Set(one.pictures.map(({ bytes }) => Bun.hash(bytes))).size).toBe(one.pictures.length);
  const seconds = ((one.pictures.at(-1)?.at ?? 0) - (one.pictures[0]?.at ?? 0)) / 1000;
  expect(one.pictures.length - 1).toBeLessThanOrEqual(Math.ceil(seconds / 0.9));
  expect((await hub.answer(`/api/preview/clear?id=${one.handle}`)).result).toBe(0);
  await until(async () => one.isOver(), 20_000, 'the cleared stream ended');
  other.abort.abort();
  await until(async () => (await makers()).length === 0, 12_000, 'the FFmpeg is gone');
});

test('an FFmpeg that is killed or stopped is replaced, and the channel is not affected', async () => {
  const id = await liveChannel();
  const { handle, pictures } = await openStream();
  await setup(handle, { add: [id] });
  for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
    const before = pictures.length;
    await until(async () => pictures.length > before, 20_000, 'a picture came');
    const [pid] = await makers();
    process.kill(pid ?? 0, signal);
    const after = pictures.length;
    await until(async () => pictures.length > after + 1, 25_000, `pictures come again after ${signal}`);
    expect(await makers()).not.toContain(pid);
  }
  expect((await hub.api<{ state: string }>(`/api/channel/query?id=${id}`)).state).toBe('live');
});

test('a stream belongs to its session and ends with it; invalid requests name their field', async () => {
  const own = await openStream();
  expect((await setup('nobody', { add: [1] })).result).not.toBe(0);
  expect(await setup(own.handle, { add: ['CH1'] })).toMatchObject({ fields: [{ path: 'add.0', rule: 'choice' }] });
  expect(await setup(own.handle, { add: [1, 'DEV-B313220914001'] })).toMatchObject({ result: 0 });
  const stranger = await fetch(`${hub.url}/api/preview/open`);
  expect(stranger.status).toBe(401);
  await hub.api('/api/logout', {});
  await until(async () => own.isOver(), 20_000, 'the stream ended with the session');
  await hub.login();
  expect((await setup(own.handle, { add: [1] })).result).not.toBe(0);
});

test('the live preview requires only the session, not the key', async () => {
  const id = await liveChannel();
  const at = (file: string) => `${hub.url}/api/preview/live/${id}/${file}`;
  expect((await fetch(at('low.m3u8'))).status).toBe(401);
  const answer = await fetch(at('low.m3u8'), { headers: hub.headers() });
  const playlist = await answer.text();
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  expect(playlist).toStartWith('#EXTM3U');
  expect(playlist).not.toContain('preview-play');
  const segment = /^\d+\.ts$/m.exec(playlist)?.[0] ?? '';
  const bytes = await (await fetch(at(segment), { headers: hub.headers() })).bytes();
  expect([bytes[0], bytes.length % 188]).toEqual([0x47, 0]);
  for (const file of ['..%2f1.ts', 'index.m3u', '1.mp4']) {
    expect((await fetch(at(file), { headers: hub.headers() })).status).toBe(404);
  }
  expect((await fetch(`${hub.url}/api/preview/live/99999/low.m3u8`, { headers: hub.headers() })).status).toBe(404);
});

test.each([1, 2, 4])('the first segment of a stream with groups of %d s is in the first playlist', async (seconds) => {
  const id = await liveChannel({ pictures: { size: '320x180', kbps: 400, groupSeconds: seconds } });
  const live = `${hub.url}/api/preview/live/${id}`;
  const playlist = await (await fetch(`${live}/low.m3u8`, { headers: hub.headers() })).text();
  const first = /^\d+\.ts$/m.exec(playlist)?.[0] ?? '';
  const bytes = await (await fetch(`${live}/${first}`, { headers: hub.headers() })).bytes();
  expect([bytes[0], bytes.length > 188]).toEqual([0x47, true]);
});
